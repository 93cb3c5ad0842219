/**
 * This process's stdin as a web stream that notices its end also while nobody reads it. Used by ServeStdio: an agent whose
 * answers nobody takes reads no further, and would never learn that its client is gone (SESS-4).
 */

/** How much is read ahead, in bytes: more than the longest line. */
const AHEAD = 64 * 1024 * 1024

/** The stream; `onEnd` hears of the end of the input, which may be long before it has been read. */
export const make = (onEnd: () => void): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        process.stdin.on("data", (chunk: Buffer) => {
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) <= 0) process.stdin.pause()
        })
        process.stdin.once("end", () => {
          onEnd()
          controller.close()
        })
        process.stdin.once("error", (cause) => {
          onEnd()
          controller.error(cause)
        })
      },
      pull: () => {
        process.stdin.resume()
      },
      cancel: () => {
        process.stdin.removeAllListeners("data").removeAllListeners("end").destroy()
      }
    },
    new ByteLengthQueuingStrategy({ highWaterMark: AHEAD })
  )
