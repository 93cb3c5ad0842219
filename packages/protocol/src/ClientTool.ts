/** A tool of a client as the agent knows it: made by ToolSet, read by everything that declares or calls it. */
import type { JsonObject } from "./Json.ts"

export interface ClientTool {
  /** What the model calls it: `client_` and the normalised name. Unique in its set. */
  readonly modelName: string
  /** The client's own name, as sent. */
  readonly name: string
  /** The extension method of a call, byte for byte as sent. */
  readonly method: string
  /** The client's description; `undefined` when it sent none or a blank one (TOOL-2). */
  readonly description: string | undefined
  /** The schema as the client sent it, untouched; `undefined` for a tool without parameters. */
  readonly inputSchema: JsonObject | undefined
  /** The schema as the model sees it (SCHEMA). */
  readonly parameters: JsonObject
  /** Names that must be own keys of the arguments before a call is made (CALL-1). */
  readonly requiredParameters: ReadonlyArray<string>
}
