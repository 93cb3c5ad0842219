import { defineConfig } from "tsdown"

/** One file with everything inside: it runs on Node 22 to 26 without node_modules. */
export default defineConfig({
  entry: { "acp-client-tools": "src/main.ts" },
  format: "esm",
  platform: "node",
  target: "node22",
  dts: false,
  minify: true,
  fixedExtension: false,
  outputOptions: { codeSplitting: false },
  deps: { alwaysBundle: [/.*/], onlyBundle: false }
})
