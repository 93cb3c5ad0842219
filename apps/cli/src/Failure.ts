/** How a command ends when it does not succeed: what to say on stderr, and the exit code (CLI-4). */
import { Cause, Schema } from "effect"

export class Failure extends Schema.TaggedError<Failure>()("Failure", {
  /** For the user; may be several lines. Empty: everything was said already. */
  message: Schema.String,
  exitCode: Schema.Int
}) {}

/** 1: another stop reason than `end_turn`, an agent that failed, or an answer that could not be written. */
export const agentFailed = (message: string): Failure => new Failure({ message, exitCode: 1 })

/** 2: flags, files, modules, definitions. */
export const badInput = (message: string): Failure => new Failure({ message, exitCode: 2 })

/** 128 and the number of the signal. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
export type Signal = keyof typeof exitCodes
export const signalled = (signal: Signal): Failure => new Failure({ message: "", exitCode: exitCodes[signal] })

/** True when a signal, and nothing else, ended the command. */
export const isSignalled = (cause: Cause.Cause<unknown>): boolean => {
  const failure = Cause.squash(cause)
  return failure instanceof Failure && Object.values<number>(exitCodes).includes(failure.exitCode)
}
