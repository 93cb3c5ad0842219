/** A tool whose arguments are typed by its schema. Called where tools are defined; gives a definition for any Toolkit. */
import type { JsonObject } from "@acp-client-tools/protocol"
import type { Effect } from "effect"
import * as Settle from "./Settle.ts"
import type { CallContext, Description, ToolDefinition } from "./ToolDefinition.ts"
import * as Toolkit from "./Toolkit.ts"
import type { Arguments, ToolSchema } from "./ToolSchema.ts"

/** A definition whose `execute` gives an Effect, a promise or a value, for arguments as the schema decodes them. */
export interface Definition<S extends ToolSchema, A, E> extends Description {
  /** The arguments: an Effect schema, one with the Standard JSON Schema interface, or raw JSON Schema; absent: none. */
  readonly inputSchema?: S | undefined
  /** Runs a call; what it fails with or throws is what the model reads, as a failed call. */
  readonly execute: (args: Arguments<S>, context: CallContext) => Effect.Effect<A, E> | Promise<A> | A
}

/**
 * The definition, for any Toolkit of any copy of this package: its schema has the Standard JSON Schema interface, compiled
 * once, and its handler gives promises, so that an Effect is run by the copy of `effect` it was made with, and interrupted
 * when the call is cancelled. Throws a TypeError for a definition that an agent would skip, or whose schema cannot be
 * compiled (CLIENT-1, CLIENT-3).
 */
export const make = <const S extends ToolSchema = JsonObject, A = unknown, E = unknown>(
  definition: Definition<S, A, E>
): ToolDefinition => {
  const { inputSchema } = Toolkit.check(definition)
  // By name: what a class has as getters is not copied by a spread.
  const { description, method, name } = definition
  return {
    name,
    description,
    inputSchema,
    method,
    execute: async (args: Arguments<S>, context) =>
      Settle.settle(await definition.execute(args, context), context.signal)
  }
}
