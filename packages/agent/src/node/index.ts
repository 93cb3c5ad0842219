/** The reference agent on Node: the agent file, its model, its sessions, and stdio. */
export * as AgentFile from "./AgentFile.ts"
export * as LocalFiles from "./LocalFiles.ts"
export * as ModelFile from "./ModelFile.ts"
export * as SessionFiles from "./SessionFiles.ts"
export * as ServeStdio from "./ServeStdio.ts"
export * as Stderr from "./Stderr.ts"
