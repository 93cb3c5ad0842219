/**
 * The client-tools extension of the Agent Client Protocol as pure functions on plain data. In the order a tool call meets
 * them: a list is found (Discovery), validated (ToolSet), declared (ToolDeclaration); a call is checked (CallArguments),
 * sent (CallParams), read (CallResult, CallOutcome) and cut (Cut).
 */
export * as AgentConfig from "./AgentConfig.ts"
export * as CallArguments from "./CallArguments.ts"
export * as CallOutcome from "./CallOutcome.ts"
export * as CallParams from "./CallParams.ts"
export * as CallResult from "./CallResult.ts"
export type { ClientTool } from "./ClientTool.ts"
export * as Cut from "./Cut.ts"
export * as Discovery from "./Discovery.ts"
export * as GoDuration from "./GoDuration.ts"
export * as Identifiers from "./Identifiers.ts"
export * as InputSchema from "./InputSchema.ts"
export * as Json from "./Json.ts"
export type { JsonObject } from "./Json.ts"
export * as ListTools from "./ListTools.ts"
export * as LogLine from "./LogLine.ts"
export * as RpcError from "./RpcError.ts"
export * as SubSchemas from "./SubSchemas.ts"
export * as SystemError from "./SystemError.ts"
export * as Thrown from "./Thrown.ts"
export * as ToolDeclaration from "./ToolDeclaration.ts"
export * as ToolDescription from "./ToolDescription.ts"
export * as ToolName from "./ToolName.ts"
export * as ToolSet from "./ToolSet.ts"
export * as Wording from "./Wording.ts"
