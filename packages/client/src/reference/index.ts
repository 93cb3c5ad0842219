/** The reference client: ACP sessions and prompts around a ToolOffer. The agent's process comes from elsewhere. */
export { AgentFailed } from "./AgentFailed.ts"
export * as Connection from "./Connection.ts"
export * as PermissionPolicy from "./PermissionPolicy.ts"
export * as Session from "./Session.ts"
export type { OnUpdate, Update } from "./UpdateStream.ts"
