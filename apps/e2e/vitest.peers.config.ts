/** `pnpm test:peers`: tests with agents by others that are too large to be installed with the workspace. */
import { defineConfig } from "vitest/config"
import shared from "../../vitest.project.ts"

// Not merged: that would add to the tests of `pnpm test`, not replace them.
export default defineConfig({
  test: { ...shared.test, include: ["test/**/*.peer.ts"], maxConcurrency: 2, reporters: ["verbose"] }
})
