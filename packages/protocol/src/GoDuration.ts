/** Durations as Go writes them, used in the agent file and on the command line [Configuration]. */
import { Option, Schema, SchemaGetter } from "effect"

export interface GoDuration {
  /** As written, for messages: `30s`. */
  readonly text: string
  /** At least 1; parts of a millisecond are rounded up. */
  readonly milliseconds: number
}

const nanoseconds: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n
}
const NANOSECONDS_PER_MILLISECOND = 1_000_000n

// Go counts nanoseconds in 64 bits; a longer duration is refused there and here.
const MAX_NANOSECONDS = 2n ** 63n - 1n
const MAX_LENGTH = 100
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g
const whole = new RegExp(`^(?:${part.source})+$`)

/** What is accepted, for messages. */
export const accepted = 'a duration such as "500ms", "1.5s" or "1m30s", at least 1ms'

const ceilDivide = (a: bigint, b: bigint): bigint => (a + b - 1n) / b

/**
 * A sequence of decimal numbers with units `ns us µs ms s m h`, at least 1 ms in sum, reckoned exactly (CFG-3).
 * `undefined` for anything else.
 */
export const parse = (text: unknown): GoDuration | undefined => {
  if (typeof text !== "string" || text.length > MAX_LENGTH || !whole.test(text)) return undefined
  // All parts over one denominator, a power of ten, so that no fraction is rounded before the sum.
  const parts = [...text.matchAll(part)].map(([, number = "", unit = ""]) => {
    const [integer = "", fraction = ""] = number.split(".")
    return { digits: BigInt(integer + fraction), places: fraction.length, unit: nanoseconds[unit] ?? 0n }
  })
  const places = Math.max(...parts.map((item) => item.places))
  const sum = parts.reduce((total, item) => total + item.digits * item.unit * 10n ** BigInt(places - item.places), 0n)
  const scale = 10n ** BigInt(places)
  if (sum < NANOSECONDS_PER_MILLISECOND * scale || sum > MAX_NANOSECONDS * scale) return undefined
  return { text, milliseconds: Number(ceilDivide(sum, NANOSECONDS_PER_MILLISECOND * scale)) }
}

const isGoDuration = (value: unknown): value is GoDuration =>
  typeof value === "object" && value !== null && "text" in value && "milliseconds" in value

/** Decodes the text of a duration; encodes to the text as written. */
export const GoDuration = Schema.declare((text): text is string => parse(text) !== undefined, {
  expected: accepted
}).pipe(
  Schema.decodeTo(Schema.declare(isGoDuration), {
    decode: SchemaGetter.transformOptional(Option.flatMap((text) => Option.fromNullishOr(parse(text)))),
    encode: SchemaGetter.transform((duration: GoDuration) => duration.text)
  })
)
