/**
 * The `session/update` notifications of a connection, in the order they came. Taken off the stream before the ACP SDK,
 * which starts handlers side by side, lets a prompt's answer overtake them, and drops variants it does not know (CLIENT-7).
 */
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk"
import { Json } from "@acp-client-tools/protocol"

/** The params of an update as received: unknown variants and keys included (CLI-2). */
export interface Update {
  readonly sessionId: string
  readonly update: { readonly sessionUpdate: string } & Json.JsonObject
}

/** Called for one update after the other, the next when the last has settled. */
export type OnUpdate = (update: Update) => void | Promise<void>

export interface UpdateStream {
  /** The stream for the SDK, without the updates. */
  readonly stream: Stream
  /** Settles when every update received so far has been delivered. */
  readonly delivered: () => Promise<void>
}

const isUpdate = (params: unknown): params is Update =>
  typeof Json.get(params, "sessionId") === "string" &&
  typeof Json.get(Json.get(params, "update"), "sessionUpdate") === "string"

/** Splits the updates off. What `onUpdate` throws goes to `onFailure`, and the next update is delivered all the same. */
export const split = (stream: Stream, onUpdate: OnUpdate, onFailure: (cause: unknown) => void): UpdateStream => {
  let last: Promise<void> = Promise.resolve()
  const deliver = (update: Update): void => {
    last = last.then(() => onUpdate(update)).catch(onFailure)
  }
  const splitter = new TransformStream<AnyMessage, AnyMessage>({
    transform: (message, controller) => {
      if ("method" in message && message.method === "session/update" && !("id" in message)) {
        if (isUpdate(message.params)) deliver(message.params)
      } else {
        controller.enqueue(message)
      }
    }
  })
  return {
    stream: { writable: stream.writable, readable: stream.readable.pipeThrough(splitter) },
    delivered: () => last
  }
}
