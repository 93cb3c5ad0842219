/** The reference client on Node: an agent as a child process, and this machine's files and commands for it. */
export * as AgentProcess from "./AgentProcess.ts"
export * as LocalFiles from "./LocalFiles.ts"
export * as LocalTerminals from "./LocalTerminals.ts"
