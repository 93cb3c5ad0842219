/** A tool as its author writes it: a plain object. Checked and offered by Toolkit; recognised by shape alone (CLIENT-1). */
import type { ToolSchema } from "./ToolSchema.ts"

/** What a handler is told about a call beside its arguments. */
export interface CallContext {
  /** The session the call belongs to. */
  readonly sessionId: string
  /** Aborted when the agent no longer wants the answer, or is gone. */
  readonly signal: AbortSignal
}

/** What a tool is called, and what for. */
export interface Description {
  /** The model sees `client_<name>`, normalised. */
  readonly name: string
  /** What the model reads to decide when to call the tool. */
  readonly description?: string | undefined
  /** The extension method of a call; `_<namespace>/<name>` when absent. */
  readonly method?: string | undefined
}

/** Any definition, whatever its schema; `ClientTool.make` gives one whose handler's arguments were typed by it. */
export interface ToolDefinition extends Description {
  /**
   * The arguments: an Effect schema, a schema with the Standard JSON Schema interface (Zod 4, ArkType, Valibot with its
   * adapter), or raw JSON Schema. Arguments that do not fit are answered to the model and never reach the handler
   * (CLIENT-3). Absent: the tool takes none, and nothing is checked.
   */
  readonly inputSchema?: ToolSchema | undefined
  /**
   * Runs a call. Gives a value, a promise or an Effect of one: a string, any JSON value, or a content list (ToolResult);
   * `undefined` is `null`. What it throws is what the model reads, as a failed call.
   */
  readonly execute: (args: any, context: CallContext) => unknown
}
