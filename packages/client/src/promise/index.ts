/**
 * Client tools with promises: define tools, offer them on a client of one's own, or talk to an agent. The same as the
 * other entries, without a type of Effect; rejections are ordinary errors.
 */
export {
  type AgentConnection,
  type CallOptions,
  connect,
  type ConnectOptions,
  type Session,
  startAgent,
  type StartOptions
} from "./AgentConnection.ts"
export { defineTool, type Definition, type Offer, type OfferOptions, offerTools, type Tools } from "./Offer.ts"
export type { CallContext, ToolDefinition } from "../ToolDefinition.ts"
export type { Session as SessionToOpen } from "../ToolOffer.ts"
export { type Block, content, type Content, error, image, resource, text } from "../ToolResult.ts"
export type { Arguments, EffectSchema, RawSchema, Standard, ToolSchema } from "../ToolSchema.ts"
export type { Place } from "../reference/Connection.ts"
export type { FileSystem } from "../reference/FileSystem.ts"
export { allow, deny, type PermissionPolicy, remember } from "../reference/PermissionPolicy.ts"
export type { Opened, Prompt, TurnEvent } from "../reference/Session.ts"
export type { Terminals } from "../reference/Terminals.ts"
export type { OnUpdate, Update } from "../reference/UpdateStream.ts"
