/** A tool as its author writes it: a plain object. Checked and offered by Toolkit; recognised by shape alone (CLIENT-1). */
import type { JsonObject } from "@acp-client-tools/protocol"

/** What a handler is told about a call beside its arguments. */
export interface CallContext {
  /** The session the call belongs to. */
  readonly sessionId: string
  /** Aborted when the agent no longer wants the answer, or is gone. */
  readonly signal: AbortSignal
}

export interface ToolDefinition {
  /** The model sees `client_<name>`, normalised. */
  readonly name: string
  /** What the model reads to decide when to call the tool. */
  readonly description?: string | undefined
  /** JSON Schema of the arguments; absent: the tool takes none. */
  readonly inputSchema?: JsonObject | undefined
  /** The extension method of a call; `_<namespace>/<name>` when absent. */
  readonly method?: string | undefined
  /**
   * Runs a call. Gives a value or a promise of one: a string, any JSON value, or a content list; `undefined` is `null`. What
   * it throws is what the model reads, as a failed call.
   */
  readonly execute: (args: JsonObject, context: CallContext) => unknown
}
