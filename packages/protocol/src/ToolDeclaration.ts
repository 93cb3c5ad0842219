/** What the model is told about a tool. Called for every tool before a model request, and by clients that preview it. */
import type { ClientTool } from "./ClientTool.ts"
import { appendTo } from "./InputSchema.ts"
import type { JsonObject } from "./Json.ts"
import * as Wording from "./Wording.ts"

export interface ToolDeclaration {
  /** The model name. */
  readonly name: string
  /** Never empty: the client's text or the default, then the required parameters. */
  readonly description: string
  /** JSON Schema of the arguments, rewritten for models. */
  readonly parameters: JsonObject
}

/** The tool as the model sees it (TOOL-3, TOOL-4, SCHEMA-1, SCHEMA-6). */
export const fromTool = (tool: ClientTool): ToolDeclaration => ({
  name: tool.modelName,
  description: appendTo(
    tool.description ?? Wording.defaultDescription(tool.method),
    tool.requiredParameters.length > 0 ? [Wording.requiredParameters(tool.requiredParameters)] : []
  ),
  parameters: tool.parameters
})
