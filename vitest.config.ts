import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Most of the time goes into processes that wait for one another.
    maxWorkers: availableParallelism(),
    // Children are many and alike; what one compiled serves the next.
    env: { NODE_COMPILE_CACHE: new URL("./node_modules/.cache/node", import.meta.url).pathname },
    projects: ["packages/*", "apps/*", "tooling"],
    reporters: ["default", "./tooling/src/summary-reporter.ts"],
    coverage: { provider: "v8", include: ["packages/*/src/**/*.ts"] }
  }
})
