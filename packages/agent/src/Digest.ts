/**
 * A short text that stands for a long one. Used by LoopDetector to compare results without keeping them, and by ToolAlias. Not
 * for secrets or against forgery; made for speed, at one pass and no copy over results of 30 MiB (CUT-3).
 */

// Odd, so that no step loses what the steps before it told apart.
const MULTIPLIERS = [0x9e3779b1, 0x85ebca77] as const

/** Spreads every bit over all others: the last characters have been multiplied only a few times. */
const mixed = (state: number): number => {
  const half = Math.imul(state ^ (state >>> 16), 0x7feb352d)
  const whole = Math.imul(half ^ (half >>> 15), 0x846ca68b)
  return (whole ^ (whole >>> 16)) >>> 0
}

const DIGITS = 7

/** 14 characters of 0-9 and a-z, 64 bits of the text's code units. */
export const of = (text: string): string => {
  let first = text.length
  let second = ~text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    first = Math.imul(first ^ unit, MULTIPLIERS[0])
    second = Math.imul(second ^ unit, MULTIPLIERS[1])
  }
  return [first, second].map((state) => mixed(state).toString(36).padStart(DIGITS, "0")).join("")
}
