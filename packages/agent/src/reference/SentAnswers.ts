/**
 * What is done once an answer has left. Used by AgentApp: a client drops updates of a session it does not know, and it knows a
 * session from the answer that opened it.
 */
import type { Stream } from "@agentclientprotocol/sdk"

type Message = Stream["writable"] extends WritableStream<infer A> ? A : never

export interface SentAnswers {
  /** The stream, watched. */
  readonly watch: (stream: Stream) => Stream
  /** Runs `then` behind the answer to a request that has not been answered; not at all where that is an error. */
  readonly after: (requestId: unknown, then: () => void) => void
}

export const make = (): SentAnswers => {
  const waiting = new Map<unknown, () => void>()

  const sent = (message: Message): void => {
    if ("method" in message || waiting.size === 0) return
    const then = waiting.get(message.id)
    waiting.delete(message.id)
    if ("result" in message) then?.()
  }

  return {
    after: (requestId, then) => waiting.set(requestId, then),
    watch: ({ readable, writable }) => {
      const writer = writable.getWriter()
      return {
        readable,
        writable: new WritableStream<Message>({
          write: async (message) => {
            await writer.write(message)
            sent(message)
          },
          close: () => writer.close(),
          abort: (reason) => writer.abort(reason)
        })
      }
    }
  }
}
