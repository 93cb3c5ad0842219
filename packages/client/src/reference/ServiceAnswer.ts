/** The outcome of a function that serves the agent, as it goes on the wire. Called by ClientServices. */
import { RequestError } from "@agentclientprotocol/sdk"
import { Json, Thrown, Wording } from "@acp-client-tools/protocol"
import * as ToolResult from "../ToolResult.ts"

/** A copy that the SDK can write: what it cannot write, or the agent cannot read, would end the connection. */
const copy = <A>(value: A): A | undefined => {
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) return undefined
  if (ToolResult.isTooLong(text)) throw new Error(Wording.answerTooLong(ToolResult.MAX_BYTES))
  const copied: A = JSON.parse(text)
  return copied
}

/** What was given, decoded to the answer of a method. Throws for a value that is none, or has no JSON text. */
export const fromValue = <A>(method: string, value: unknown, decode: (value: unknown) => A | undefined): A => {
  const answer = copy(decode(value))
  if (answer === undefined) throw new Error(Wording.noAnswerTo(method, Json.typeName(value)))
  return answer
}

// What JSON-RPC keeps for itself and its protocols; a failed command has its exit code under the same name.
const isRpcCode = (code: unknown): boolean => Number.isInteger(code) && Number(code) >= -32768 && Number(code) <= -32000

/** An error that says how it wants to be answered: a `code` of JSON-RPC, its own one. A DOMException inherits another. */
const asItIs = (cause: unknown): RequestError | undefined => {
  try {
    const code = Json.get(cause, "code")
    if (!isRpcCode(code)) return undefined
    return new RequestError(Number(code), Thrown.text(cause), copy(Json.get(cause, "data")))
  } catch {
    return undefined
  }
}

/**
 * What was thrown, as the error to answer with. Always one of the SDK's own: the message of any other it would read as JSON,
 * and answer with what that says.
 */
export const fromFailure = (cause: unknown): RequestError =>
  asItIs(cause) ?? RequestError.internalError({ details: Thrown.text(cause) })
