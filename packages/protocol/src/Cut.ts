/** The limit on what a model reads of one result [Errors]. Called once for every result, failed or not. */
import * as Wording from "./Wording.ts"

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

const isPair = (text: string, index: number): boolean =>
  isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1))

/** The number of code points. */
const length = (text: string): number => {
  let pairs = 0
  for (let index = 0; index < text.length - 1; index++) {
    if (isPair(text, index)) {
      pairs++
      index++
    }
  }
  return text.length - pairs
}

/** The first `count` code points. */
const head = (text: string, count: number): string => {
  let index = 0
  for (let taken = 0; taken < count && index < text.length; taken++) index += isPair(text, index) ? 2 : 1
  return text.slice(0, index)
}

/** The last `count` code points. */
const tail = (text: string, count: number): string => {
  let index = text.length
  for (let taken = 0; taken < count && index > 0; taken++) index -= index > 1 && isPair(text, index - 2) ? 2 : 1
  return text.slice(index)
}

/** The smallest number of code points to leave out so that the rest and the marker fit into `maxOutput`. */
const missing = (total: number, maxOutput: number): number => {
  const marker = Wording.cutMarker(0).length - 1
  for (let digits = 1; ; digits++) {
    const n = Math.max(total + marker + digits - maxOutput, 10 ** (digits - 1))
    if (n < 10 ** digits) return n
  }
}

/**
 * At most `maxOutput` code points, marker included; unchanged at or under the limit. Head and tail are kept around the
 * marker, the head one longer when uneven; when not even one character fits on each side, the head alone (CUT-1 to CUT-3).
 * `maxOutput` is an integer ≥ 1. Linear in the text, of which only what is kept is copied.
 */
export const cut = (text: string, maxOutput: number): string => {
  if (text.length <= maxOutput) return text
  const total = length(text)
  if (total <= maxOutput) return text
  const n = missing(total, maxOutput)
  const kept = total - n
  if (kept < 2) return head(text, maxOutput)
  return head(text, Math.ceil(kept / 2)) + Wording.cutMarker(n) + tail(text, Math.floor(kept / 2))
}
