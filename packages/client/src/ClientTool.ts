/** A tool whose handler may be an Effect. Called where tools are defined; gives a plain definition for any Toolkit. */
import type { JsonObject } from "@acp-client-tools/protocol"
import { Cause, Effect, Exit } from "effect"
import type { CallContext, ToolDefinition } from "./ToolDefinition.ts"
import * as Toolkit from "./Toolkit.ts"

/** A definition whose `execute` gives an Effect, a promise or a value. */
export interface Definition<A = unknown, E = unknown> extends Omit<ToolDefinition, "execute"> {
  readonly execute: (args: JsonObject, context: CallContext) => Effect.Effect<A, E> | Promise<A> | A
}

// An Effect that needs services cannot be told from one that does not; it fails when it is run, naming what it lacks.
const isRunnable = (value: unknown): value is Effect.Effect<unknown, unknown> => Effect.isEffect(value)

/** The settled value of what an `execute` gave: an Effect is run, and interrupted by the signal. Rejects as it fails. */
export const settle = async (result: unknown, signal: AbortSignal): Promise<unknown> => {
  if (!isRunnable(result)) return result
  const exit = await Effect.runPromiseExit(result, { signal })
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}

/**
 * The definition with a handler that gives promises: an Effect is run by the copy of `effect` it was made with, and
 * interrupted when the call is cancelled. Throws a TypeError for a definition that an agent would skip (CLIENT-1).
 */
export const make = <A, E>(definition: Definition<A, E>): ToolDefinition => {
  Toolkit.check(definition)
  return {
    ...definition,
    execute: async (args, context) => settle(await definition.execute(args, context), context.signal)
  }
}
