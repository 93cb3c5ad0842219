/** The JSON-RPC errors the agent answers with, each a sentence for the user. Thrown by Sessions and AgentApp. */
import { RequestError } from "@agentclientprotocol/sdk"
import { Cause, Exit } from "effect"
import { SessionUnknown, StoreFault } from "./SessionStore.ts"

export const invalidRequest = (message: string): RequestError => new RequestError(-32600, message)
export const invalidParams = (message: string): RequestError => new RequestError(-32602, message)
export const internalError = (message: string): RequestError => new RequestError(-32603, message)
/** -32002, with `data.sessionId` (SESS-1). */
export const unknownSession = (sessionId: string): RequestError => RequestError.sessionNotFound(sessionId)

/** The result of a handler's work, or the error it ended with. Interruption is the peer's cancellation (REQ-5). */
export const resultOf = <A, E extends { readonly message: string }>(exit: Exit.Exit<A, E>): A => {
  if (Exit.isSuccess(exit)) return exit.value
  if (Cause.hasInterruptsOnly(exit.cause)) throw RequestError.requestCancelled()
  const error = Cause.squash(exit.cause)
  if (error instanceof SessionUnknown) throw unknownSession(error.sessionId)
  if (error instanceof StoreFault && error.reason === "inUse") throw invalidRequest(error.message)
  throw internalError(error instanceof Error ? error.message : String(error))
}
