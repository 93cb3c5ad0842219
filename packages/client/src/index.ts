/**
 * Client tools for any ACP client. In the order a client meets them: tools are defined (`ClientTool.make`, or plain
 * objects), made a `Toolkit`, made an offer to all sessions or to each (`ToolOffer`), and put on a client's app
 * (`RequestHandler.offer`).
 */
export * as ClientTool from "./ClientTool.ts"
export * as RequestHandler from "./RequestHandler.ts"
export type { CallContext, Description, ToolDefinition } from "./ToolDefinition.ts"
export * as Toolkit from "./Toolkit.ts"
export * as ToolOffer from "./ToolOffer.ts"
export type { Arguments, EffectSchema, RawSchema, Standard, ToolSchema } from "./ToolSchema.ts"
export * as ToolResult from "./ToolResult.ts"
