/**
 * The `session/update` notifications of a connection, in the order they came. Taken off the stream before the ACP SDK,
 * which starts handlers side by side, lets a prompt's answer overtake them, and drops variants it does not know (CLIENT-7).
 */
import type { AnyMessage, SessionNotification, Stream } from "@agentclientprotocol/sdk"
import { Json, Wording } from "@acp-client-tools/protocol"

/**
 * The params of an update as received, nothing added or dropped (CLI-2). The type has the variants that the SDK knows; an
 * agent of another version may send others, so a `switch` needs its `default`.
 */
export type Update = SessionNotification

/** Called for one update after the other, the next when the last has settled. */
export type OnUpdate = (update: Update) => void | Promise<void>

export interface UpdateStream {
  /** The stream for the SDK, without the updates. */
  readonly stream: Stream
  /** Settles when every update received so far has been delivered. */
  readonly delivered: () => Promise<void>
  /** How many updates have been delivered. */
  readonly count: () => number
}

const isUpdate = (params: unknown): params is Update =>
  typeof Json.get(params, "sessionId") === "string" &&
  typeof Json.get(Json.get(params, "update"), "sessionUpdate") === "string"

/**
 * Delivers one after the other. Updates wait here without a promise each, so that a burst of them costs what it weighs; a
 * handler that is quick enough leaves none waiting.
 */
const makeQueue = (onUpdate: OnUpdate, onFailure: (cause: unknown) => void) => {
  let waiting: Array<Update> = []
  let received = 0
  let delivered = 0
  let isBusy = false
  const watchers: Array<{ readonly upTo: number; readonly resolve: () => void }> = []

  const note = (): void => {
    delivered++
    while (watchers[0] !== undefined && watchers[0].upTo <= delivered) watchers.shift()?.resolve()
  }

  const failed = (cause: unknown): void => {
    note()
    onFailure(cause)
  }

  /** Delivers one; a promise when that takes longer. */
  const deliver = (update: Update): Promise<void> | undefined => {
    try {
      const settled = onUpdate(update)
      // What a handler in JavaScript gives besides is of no interest.
      if (typeof settled?.then === "function") return settled.then(note, failed)
      note()
    } catch (cause) {
      failed(cause)
    }
    return undefined
  }

  const drain = async (first: Promise<void>): Promise<void> => {
    isBusy = true
    await first
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      for (const update of batch) await deliver(update)
    }
    isBusy = false
  }

  return {
    count: (): number => delivered,
    push: (update: Update): void => {
      received++
      if (isBusy) {
        waiting.push(update)
        return
      }
      const unsettled = deliver(update)
      if (unsettled !== undefined) void drain(unsettled)
    },
    delivered: (): Promise<void> =>
      delivered === received ? Promise.resolve() : new Promise((resolve) => watchers.push({ upTo: received, resolve }))
  }
}

/** Splits the updates off. What `onUpdate` throws goes to `onFailure`, and the next update is delivered all the same. */
export const split = (stream: Stream, onUpdate: OnUpdate, onFailure: (cause: unknown) => void): UpdateStream => {
  const queue = makeQueue(onUpdate, onFailure)
  const reader = stream.readable.getReader()
  // Not a TransformStream: an update costs one read here, and a burst of them leaves little to be collected.
  const readable = new ReadableStream<AnyMessage>(
    {
      pull: async (controller) => {
        for (;;) {
          const { done, value: message } = await reader.read()
          if (done) return controller.close()
          if (!("method" in message) || message.method !== "session/update" || "id" in message) {
            return controller.enqueue(message)
          }
          if (isUpdate(message.params)) queue.push(message.params)
          else onFailure(new Error(Wording.updateWithoutKind))
        }
      },
      cancel: (reason) => reader.cancel(reason)
    },
    { highWaterMark: 0 }
  )
  return {
    stream: { writable: stream.writable, readable },
    delivered: queue.delivered,
    count: queue.count
  }
}
