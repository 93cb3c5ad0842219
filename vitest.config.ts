import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    projects: ["packages/*", "apps/*", "tooling"],
    reporters: ["default", "./tooling/src/summary-reporter.ts"],
    coverage: { provider: "v8", include: ["packages/*/src/**/*.ts"] }
  }
})
