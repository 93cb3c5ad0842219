/**
 * Calls that repeat themselves within one prompt turn (LOOP-1). Made by ClientTools for each turn; asked by ToolCall about every result.
 */
import { Wording } from "@acp-client-tools/protocol"
import { Predicate } from "effect"
import * as Digest from "./Digest.ts"

/** Whole numbers, `flagAfter` not greater than `stopAfter`, as the settings have checked (CFG-1). */
export interface Limits {
  /** From how many on an identical call with an identical answer carries a note. */
  readonly flagAfter: number
  /** At how many the turn stops. */
  readonly stopAfter: number
}

/** A call whose result is counted. */
export interface Call {
  readonly name: string
  /** The arguments of the call; where they cannot be used, what the model sent. */
  readonly arguments: unknown
}

export interface LoopDetector {
  /** Counts one more result, its text not cut yet; gives the note it has to carry, `""` for none (LOOP-2). */
  readonly count: (call: Call, text: string) => string
  /** Why the turn has to stop; `undefined` while it may go on (LOOP-2). */
  readonly verdict: () => string | undefined
}

/** One text for all JSON that differs only in the order of keys; `undefined` for what is nested too deeply to be JSON. */
const canonical = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value, sorted)
  } catch {
    return undefined
  }
}

const sorted = (_: string, value: unknown): unknown =>
  Predicate.isObject(value) && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** A detector for one turn; sessions and turns share nothing. */
export const make = ({ flagAfter, stopAfter }: Limits): LoopDetector => {
  const counts = new Map<string, number>()
  let verdict: string | undefined
  return {
    count: (call, text) => {
      const key = Digest.of(JSON.stringify([call.name, canonical(call.arguments), Digest.of(text)]))
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      const name = call.name.toWellFormed()
      if (count >= stopAfter) verdict = Wording.loopStopped(name, count)
      return count >= flagAfter ? Wording.loopNote(name, count) : ""
    },
    verdict: () => verdict
  }
}
