/**
 * What is done to the messages of one connection, and to its two processes, decided by a seed: the same seed decides the
 * same, by the number of a message in its direction and never by the time. Asked by FaultRelay, told by `pnpm soak`.
 */
import { createHash } from "node:crypto"
import type { Discovery } from "@acp-client-tools/protocol"

export type Direction = "toAgent" | "toClient"

/** What happens to one message. */
export type Fault =
  | { readonly kind: "drop" }
  /** It and all behind it wait for so many ms. */
  | { readonly kind: "delay"; readonly milliseconds: number }
  | { readonly kind: "duplicate" }
  /** It comes behind so many messages that were written after it. */
  | { readonly kind: "reorder"; readonly behind: number }
  /** This part of it, from 0 to 1, is left; without its line feed it runs into what follows. */
  | { readonly kind: "truncate"; readonly part: number; readonly hasLineFeed: boolean }
  /** The byte at this part of it is another. */
  | { readonly kind: "corrupt"; readonly part: number; readonly byte: number }

export const kinds = ["drop", "delay", "duplicate", "reorder", "truncate", "corrupt"] as const

/** The end of one side, when the message of this number comes by. */
export interface Kill {
  readonly side: "agent" | "client"
  readonly signal: "SIGKILL" | "SIGTERM"
  readonly direction: Direction
  readonly message: number
}

export interface FaultPlan {
  readonly seed: number
  /** How the agent learns of the tools in this run. */
  readonly discovery: Discovery.Mode
  readonly kill: Kill | undefined
  /** How often each kind strikes, from 0 to 1. */
  readonly rates: ReadonlyArray<readonly [Fault["kind"], number]>
  /** So many messages of each direction pass unharmed. */
  readonly spared: number
  /** What happens to a message of a direction, counted from 0. */
  readonly faultOf: (direction: Direction, message: number) => Fault | undefined
}

/** Throws of a die for one question: numbers from 0 to 1, the same for the same seed and question. */
const dice = (...question: ReadonlyArray<number | string>): (() => number) => {
  const bytes = createHash("sha256").update(question.join("/")).digest()
  let at = 0
  return () => {
    const number = bytes.readUInt32LE(at) / 2 ** 32
    at += 4
    return number
  }
}

/** A whole number below `limit`. */
const below = (limit: number, throwDie: () => number): number => Math.floor(throwDie() * limit)

const among = <A>(all: readonly [A, ...ReadonlyArray<A>], throwDie: () => number): A =>
  all[below(all.length, throwDie)] ?? all[0]

const killOf = (seed: number): Kill | undefined => {
  const die = dice(seed, "kill")
  if (die() > 0.3) return undefined
  return {
    side: among(["agent", "client"], die),
    signal: among(["SIGKILL", "SIGKILL", "SIGTERM"], die),
    direction: among(["toAgent", "toClient"], die),
    message: below(40, die)
  }
}

const ratesOf = (seed: number): FaultPlan["rates"] => {
  const die = dice(seed, "rates")
  const rate = among([0.03, 0.1, 0.25], die)
  const howMany = 1 + below(3, die)
  const chosen = new Set(Array.from({ length: howMany }, () => among(kinds, die)))
  return [...chosen].map((kind) => [kind, rate])
}

const faultOf = (kind: Fault["kind"], die: () => number): Fault => {
  switch (kind) {
    case "drop":
    case "duplicate":
      return { kind }
    case "delay":
      return { kind, milliseconds: 1 + below(100, die) }
    case "reorder":
      return { kind, behind: 1 + below(3, die) }
    case "truncate":
      return { kind, part: die(), hasLineFeed: die() < 0.5 }
    case "corrupt":
      return { kind, part: die(), byte: below(256, die) }
  }
}

export const make = (seed: number): FaultPlan => {
  const rates = ratesOf(seed)
  const die = dice(seed, "beginning")
  // Most runs get through their opening: what cannot even begin meets few faults.
  const spared = die() < 0.1 ? 0 : 2 + below(4, die)
  return {
    seed,
    discovery: among(["meta", "request"], die),
    kill: killOf(seed),
    rates,
    spared,
    faultOf: (direction, message) => {
      if (message < spared) return undefined
      const throwDie = dice(seed, direction, message)
      for (const [kind, rate] of rates) if (throwDie() < rate) return faultOf(kind, throwDie)
      return undefined
    }
  }
}

/** The plan in words. */
export const describe = ({ discovery, kill, rates, seed, spared }: FaultPlan): string =>
  [
    `seed ${seed}: ${discovery}`,
    ...rates.map(([kind, rate]) => `${kind} ${rate * 100}%`),
    `behind ${spared} messages`,
    ...(kill === undefined ? [] : [`${kill.signal} for the ${kill.side} at message ${kill.message} ${kill.direction}`])
  ].join(", ")
