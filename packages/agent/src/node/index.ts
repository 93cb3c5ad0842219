/** The reference agent on Node: the agent file, its model, and stdio. */
export * as AgentFile from "./AgentFile.ts"
export * as ModelFile from "./ModelFile.ts"
export * as ServeStdio from "./ServeStdio.ts"
export * as Stderr from "./Stderr.ts"
