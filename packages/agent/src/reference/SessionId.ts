/** Ids of sessions: when they were opened, and chance. Made and recognised by Sessions (SESS-1). */
import { Clock, Effect } from "effect"

const RANDOM_BYTES = 4

/** `YYYYMMDD-HHMMSS-xxxxxxxx`: UTC, then eight lower-case hexadecimal digits. Sorts by age. */
export const make: Effect.Effect<string> = Effect.map(Clock.currentTimeMillis, (now) => {
  const [date = "", time = ""] = new Date(now).toISOString().replaceAll(/[-:]/g, "").split(/[T.]/)
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
  return `${date}-${time}-${Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
})

/** True for an id that could be one of ours. Any other is unknown, and names no file. */
export const is = (id: string): boolean => /^\d{8}-\d{6}-[0-9a-f]{8}$/.test(id)
