/** What the tests of every package have in common: vitest hands nothing down from the root to its projects. */
import { fileURLToPath } from "node:url"
import { defineProject } from "vitest/config"

export default defineProject({
  test: {
    include: ["test/**/*.test.ts"],
    // Every test leaves things as it found them; one import of effect for each worker is enough.
    isolate: false,
    // Children are many and alike; what one compiled serves the next.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/node", import.meta.url)),
      // Sessions of agents whose file does not say where: not among the user's.
      XDG_STATE_HOME: fileURLToPath(new URL("node_modules/.cache/state", import.meta.url))
    },
    // Most of the time goes into processes that wait for one another.
    maxConcurrency: 4,
    testTimeout: 30_000
  }
})
