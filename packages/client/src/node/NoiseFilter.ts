/** Lines on an agent's stdout that are no JSON: told to the user and left out of the connection. Used by AgentProcess. */
import { Wording } from "@acp-client-tools/protocol"

const NEWLINE = 10
const MAX_SHOWN = 200
const MAX_TOLD = 20

// What a JSON-RPC message can begin with: an object, white space before it, a byte-order mark. A batch is for the SDK.
const beginnings = new Set(Buffer.from(" \t\r\n{[\u00ef", "latin1"))

/**
 * Passes bytes on, without the lines that do not begin like a message. Lines may come in any number of chunks; each left
 * out is told in a sentence once it is whole, cut to 200 bytes; of many, the first 20.
 */
export const make = (onNoise: (line: string) => void): TransformStream<Uint8Array, Uint8Array> => {
  let isLineStart = true
  let noise: Buffer | undefined
  let told = 0

  const addNoise = (bytes: Uint8Array): void => {
    noise = Buffer.concat([noise ?? Buffer.alloc(0), bytes.subarray(0, MAX_SHOWN)]).subarray(0, MAX_SHOWN)
  }
  const endNoise = (): void => {
    if (noise === undefined) return
    told++
    if (told <= MAX_TOLD) onNoise(Wording.noise(noise.toString("utf8")))
    if (told === MAX_TOLD) onNoise(Wording.moreNoise)
    noise = undefined
  }

  return new TransformStream({
    transform: (chunk, controller) => {
      for (let start = 0; start < chunk.length;) {
        if (isLineStart && !beginnings.has(chunk[start] ?? 0)) noise = Buffer.alloc(0)
        const newline = chunk.indexOf(NEWLINE, start)
        const isWhole = newline >= 0
        const line = chunk.subarray(start, isWhole ? newline + 1 : undefined)
        if (noise === undefined) controller.enqueue(line)
        else addNoise(isWhole ? line.subarray(0, -1) : line)
        if (isWhole) endNoise()
        isLineStart = isWhole
        start += line.length
      }
    },
    flush: endNoise
  })
}
