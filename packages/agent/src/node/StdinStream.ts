/**
 * This process's stdin as a web stream that notices its end also while nobody reads it. Used by ServeStdio: an agent whose
 * answers nobody takes reads no further, and would never learn that its client is gone (SESS-4).
 */
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises"

/** How much is read ahead, in bytes: more than the longest line. */
const AHEAD = 64 * 1024 * 1024

/** What Node reads of a pipe at once, in bytes: behind so much there is more. */
const PIECE = 64 * 1024

/** How long a writer takes to fill a pipe again, in ms, where it has more. */
const REFILL = 2

/** The stream; `onEnd` hears of the end of the input, which may be long before it has been read. */
export const make = (onEnd: () => void): ReadableStream<Uint8Array> => {
  const waiting: Array<Buffer> = []
  let bytes = 0
  let arrivals = 0
  let quietAt = 0
  let hasEnded = false
  let arrived = Promise.withResolvers<void>()

  const end = () => {
    hasEnded = true
    onEnd()
    arrived.resolve()
  }
  process.stdin.on("data", (chunk: Buffer) => {
    waiting.push(chunk)
    bytes += chunk.length
    arrivals++
    if (bytes > AHEAD) process.stdin.pause()
    arrived.resolve()
  })
  process.stdin.once("end", end).once("error", end)

  const mayBeMore = (): boolean =>
    !hasEnded && bytes <= AHEAD && quietAt !== arrivals && (waiting[0]?.length ?? 0) >= PIECE

  /**
   * Reads all there is before a piece of it is handed over, and hands over one piece a turn of the event loop: so the end of
   * the input, signals and deadlines are heard in the midst of much work. What came alone is not kept waiting.
   */
  const readAhead = async (): Promise<void> => {
    while (mayBeMore()) {
      quietAt = arrivals
      await delay(REFILL)
    }
    if (waiting.length > 1) await nextTurn()
  }

  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        if (waiting.length === 0 && !hasEnded) await arrived.promise
        await readAhead()
        const chunk = waiting.shift()
        if (waiting.length === 0) arrived = Promise.withResolvers<void>()
        if (chunk === undefined) return controller.close()
        bytes -= chunk.length
        if (bytes <= AHEAD) process.stdin.resume()
        controller.enqueue(chunk)
      },
      cancel: () => {
        process.stdin.destroy()
      }
    },
    { highWaterMark: 0 }
  )
}
