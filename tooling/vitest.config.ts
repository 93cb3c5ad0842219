import { defineProject } from "vitest/config"

export default defineProject({
  test: {
    include: ["test/**/*.test.ts"],
    // Node calls its own type stripping experimental, each time.
    execArgv: ["--disable-warning=ExperimentalWarning"]
  }
})
