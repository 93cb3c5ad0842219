/** What a function of the user gave, settled: a value, a promise, or an Effect. Called wherever such a function is. */
import { Cause, Effect, Exit } from "effect"

/** What a function may give. */
export type Given<A> = A | PromiseLike<A> | Effect.Effect<A, unknown>

// An Effect that needs services cannot be told from one that does not; it fails when it is run, naming what it lacks.
const isRunnable = <A>(value: Given<A>): value is Effect.Effect<A, unknown> => Effect.isEffect(value)

/** The settled value: an Effect is run, and interrupted by the signal. Rejects as it fails. */
export const settle = async <A>(given: Given<A>, signal?: AbortSignal): Promise<A> => {
  if (!isRunnable(given)) return given
  const exit = await Effect.runPromiseExit(given, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}
