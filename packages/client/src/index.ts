/**
 * Client tools for any ACP client. In the order a client meets them: tools are defined (`ClientTool.make`, or plain
 * objects), made a `Toolkit`, named in `initialize` (`Toolkit.capabilityMeta`) and answered (`RequestHandler.offer`).
 */
export * as ClientTool from "./ClientTool.ts"
export * as RequestHandler from "./RequestHandler.ts"
export type { CallContext, ToolDefinition } from "./ToolDefinition.ts"
export * as Toolkit from "./Toolkit.ts"
export * as ToolResult from "./ToolResult.ts"
