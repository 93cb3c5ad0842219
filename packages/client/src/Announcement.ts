/**
 * The offer in the `initialize` that leaves: put there on its way out, so that a client of anybody's need not know of it.
 * Used by RequestHandler for apps of the ACP SDK.
 */
import type { AgentApp, AgentConnection, AnyMessage, Stream } from "@agentclientprotocol/sdk"
import { Json, type JsonObject } from "@acp-client-tools/protocol"

const object = (value: unknown): JsonObject => (Json.isObject(value) ? value : {})

/** The message; the offer joins whatever `clientCapabilities._meta` holds, and gives way to what stands there already. */
const announced = (message: AnyMessage, meta: JsonObject): AnyMessage => {
  const isSilent = Object.keys(meta).length === 0
  if (isSilent || !("method" in message) || message.method !== "initialize") return message
  const params = object(message.params)
  const capabilities = object(params["clientCapabilities"])
  const clientCapabilities = { ...capabilities, _meta: { ...meta, ...object(capabilities["_meta"]) } }
  return { ...message, params: { ...params, clientCapabilities } }
}

/** The stream, with the offer in the `initialize` written to it. */
export const over = ({ readable, writable }: Stream, meta: JsonObject): Stream => {
  const writer = writable.getWriter()
  return {
    readable,
    writable: new WritableStream<AnyMessage>({
      write: (message) => writer.write(announced(message, meta)),
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason)
    })
  }
}

/** A stream to an agent app in the same process, and what ends the app's side of it. */
export const toApp = (agent: AgentApp): { readonly stream: Stream; readonly peer: AgentConnection } => {
  const toAgent = new TransformStream<AnyMessage, AnyMessage>()
  const toClient = new TransformStream<AnyMessage, AnyMessage>()
  const peer = agent.connect({ readable: toAgent.readable, writable: toClient.writable })
  return { stream: { readable: toClient.readable, writable: toAgent.writable }, peer }
}
