/** What a function that serves the agent's requests is told, and what it may give. Shared by FileSystem and Terminals. */
import type { Effect } from "effect"

/** The folders a session was opened with, absolute paths. */
export interface Folders {
  readonly cwd: string
  readonly additionalDirectories: ReadonlyArray<string>
}

/** What a function is told beside the request. */
export interface Context extends Folders {
  readonly sessionId: string
  /** Aborted when the agent no longer wants the answer, or is gone. An Effect is interrupted by it. */
  readonly signal: AbortSignal
}

/**
 * A value, or a promise of one. An error with a `code` of JSON-RPC is answered as it is; everything else that is thrown is an
 * internal error whose `details` are its words.
 */
export type Outcome<A> = A | PromiseLike<A>

/** The same functions, which may give Effects as well. */
export type Effectful<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends ((...args: infer Args) => infer Given) | undefined
    ? (...args: Args) => Given | Effect.Effect<Awaited<Given>, unknown>
    : never
}
