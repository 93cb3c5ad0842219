/** A tool whose arguments are typed by its schema. Called where tools are defined; gives a definition for any Toolkit. */
import type { JsonObject } from "@acp-client-tools/protocol"
import { Cause, Effect, Exit } from "effect"
import type { CallContext, ToolDefinition } from "./ToolDefinition.ts"
import * as Toolkit from "./Toolkit.ts"
import type { Arguments, ToolSchema } from "./ToolSchema.ts"

/** A definition whose `execute` gives an Effect, a promise or a value, for arguments as the schema decodes them. */
export interface Definition<S extends ToolSchema, A, E> extends Omit<ToolDefinition, "execute" | "inputSchema"> {
  readonly inputSchema?: S | undefined
  readonly execute: (args: Arguments<S>, context: CallContext) => Effect.Effect<A, E> | Promise<A> | A
}

// An Effect that needs services cannot be told from one that does not; it fails when it is run, naming what it lacks.
const isRunnable = <A>(value: unknown): value is Effect.Effect<A, unknown> => Effect.isEffect(value)

/** The settled value of what a function gave: an Effect is run, and interrupted by the signal. Rejects as it fails. */
export const settle = async <A>(
  result: Effect.Effect<A, unknown> | Promise<A> | A,
  signal: AbortSignal
): Promise<A> => {
  if (!isRunnable<A>(result)) return result
  const exit = await Effect.runPromiseExit(result, { signal })
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
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
  return {
    ...definition,
    inputSchema,
    execute: async (args: Arguments<S>, context) => settle(await definition.execute(args, context), context.signal)
  }
}
