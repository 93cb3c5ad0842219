import { defineProject } from "vitest/config"

export default defineProject({ test: { include: ["test/**/*.test.ts"], maxConcurrency: 4, testTimeout: 30_000 } })
