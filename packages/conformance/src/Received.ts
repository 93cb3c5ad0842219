/** A line of the peer, read as a message. Made by Conversation for each line that comes. */
import { show } from "./Json.ts"
import type { Json } from "./Json.ts"
import type { Line } from "./Lines.ts"

/** A message, or in words why the line is none. */
export type Received = { readonly message: Json } | { readonly broken: string }

/** Reads a line; whatever stands on it. */
export const parse = (line: Line): Received => {
  if (line.fault !== undefined) return { broken: `a line with ${line.fault}: ${show(line.text, 300)}` }
  try {
    const message: Json = JSON.parse(line.text)
    return { message }
  } catch {
    return { broken: `a line that is not JSON: ${show(line.text, 300)}` }
  }
}

/** What came, for the message of a failure. */
export const tell = (received: Received): string => ("message" in received ? show(received.message) : received.broken)
