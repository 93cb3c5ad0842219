/** The messages to an agent, one a line on its stdin. Made by AgentProcess. */
import type { Writable } from "node:stream"
import type { AnyMessage } from "@agentclientprotocol/sdk"
import { Json } from "@acp-client-tools/protocol"

/**
 * The text of a message. The SDK answers what is no request with an error that holds it; what is nested too deep to be
 * written again is left out of that answer.
 */
const textOf = (message: AnyMessage): string | undefined => {
  const text = Json.stringify(message)
  if (text !== undefined || !("error" in message)) return text
  return Json.stringify({
    jsonrpc: "2.0",
    id: Json.stringify(message.id) === undefined ? null : message.id,
    error: { code: message.error.code, message: message.error.message }
  })
}

/**
 * Never fails: an agent that reads no more may have more to say, and with a write that fails the SDK would end the
 * connection and lose that. AgentProcess ends it.
 */
export const to = (output: Writable): WritableStream<AnyMessage> =>
  new WritableStream({
    write: (message) => {
      const text = textOf(message)
      if (text === undefined) return undefined
      return new Promise((resolve) => output.write(`${text}\n`, () => resolve()))
    }
  })
