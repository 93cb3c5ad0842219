import { defineProject, mergeConfig } from "vitest/config"
import shared from "../../vitest.project.ts"

export default mergeConfig(shared, defineProject({ test: { globalSetup: ["./test/forget-sessions.ts"] } }))
