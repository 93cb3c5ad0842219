/** The reference client on Node: an agent as a child process. */
export * as AgentProcess from "./AgentProcess.ts"
