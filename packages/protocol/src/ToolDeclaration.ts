/** What the model is told about a tool. Called for every tool before a model request, and by clients that preview it. */
import type { ClientTool } from "./ClientTool.ts"
import { appendTo, type Rewritten } from "./InputSchema.ts"
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

/** A tool of any kind, its schema rewritten by InputSchema, with the required parameters in its description (SCHEMA-1). */
export const make = (
  name: string,
  description: string,
  { parameters, requiredParameters }: Rewritten
): ToolDeclaration => ({
  name,
  description: appendTo(
    description,
    requiredParameters.length > 0 ? [Wording.requiredParameters(requiredParameters)] : []
  ),
  parameters
})

/** A client's tool as the model sees it (TOOL-3, TOOL-4, SCHEMA-1, SCHEMA-6). */
export const fromTool = (tool: ClientTool): ToolDeclaration =>
  make(tool.modelName, tool.description ?? Wording.defaultDescription(tool.method), tool)
