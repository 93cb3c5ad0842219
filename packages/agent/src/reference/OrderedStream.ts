/**
 * A client's messages, each handed over when those before it have begun. Put by AgentApp between a stream and the ACP SDK,
 * which asks its handlers one after the other with a pause between them, and hands over an answer at once. So a message may
 * overtake one before it in the same write: a prompt a load, a load a close, a result a cancel (REQ-8, SESS-3, ERR-3).
 */
import type { Stream } from "@agentclientprotocol/sdk"
import { Effect } from "effect"
import * as SameChunk from "../SameChunk.ts"

type Message = Stream["readable"] extends ReadableStream<infer A> ? A : never

/** Messages after which a session is not what it was. What follows them waits until they have begun. */
const changing: ReadonlySet<string> = new Set([
  "session/load",
  "session/resume",
  "session/close",
  "session/delete",
  "session/cancel"
])

export const make = ({ readable, writable }: Stream): Stream => ({
  writable,
  readable: readable.pipeThrough(
    new TransformStream<Message, Message>({
      transform: async (message, controller) => {
        controller.enqueue(message)
        if ("method" in message && changing.has(message.method)) await Effect.runPromise(SameChunk.handled)
      }
    })
  )
})
