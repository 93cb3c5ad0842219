/** The JSON-RPC errors the agent answers with, each a sentence for the user. Thrown by Sessions and AgentApp. */
import { Thrown } from "@acp-client-tools/protocol"
import { RequestError } from "@agentclientprotocol/sdk"
import { Cause, Exit, Predicate } from "effect"
import type { CursorUnknown, SessionInUse, SessionUnknown } from "./SessionStore.ts"

export const invalidRequest = (message: string): RequestError => new RequestError(-32600, message)
export const invalidParams = (message: string): RequestError => new RequestError(-32602, message)
export const internalError = (message: string): RequestError => new RequestError(-32603, message)
/** -32002, with `data.sessionId` (SESS-1). */
export const unknownSession = (sessionId: string): RequestError => RequestError.sessionNotFound(sessionId)

// By shape: a store may have its own copy of these classes.
const isUnknown = (error: unknown): error is SessionUnknown => Predicate.isTagged(error, "SessionUnknown")
const isBadCursor = (error: unknown): error is CursorUnknown => Predicate.isTagged(error, "CursorUnknown")
const isInUse = (error: unknown): error is SessionInUse => Predicate.isTagged(error, "SessionInUse")

/** The result of a handler's work, or the error it ended with. Interruption is the peer's cancellation (REQ-5). */
export const resultOf = <A, E extends { readonly message: string }>(exit: Exit.Exit<A, E>): A => {
  if (Exit.isSuccess(exit)) return exit.value
  // Also where something else went wrong while it was stopped: who cancelled wants to hear of that.
  if (Cause.hasInterrupts(exit.cause)) throw RequestError.requestCancelled()
  const error = Cause.squash(exit.cause)
  if (isUnknown(error)) throw unknownSession(error.sessionId)
  if (isBadCursor(error)) throw invalidParams(error.message)
  if (isInUse(error)) throw invalidRequest(error.message)
  throw internalError(Thrown.text(error))
}
