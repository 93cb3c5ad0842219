/** The lines of a text stream, for a function of the user. Called by AgentProcess for an agent's stderr. */
import type { Readable } from "node:stream"

/** A longer line is told in pieces, of so many UTF-16 units: nobody's memory is for a line that never ends. */
const MAX_LINE = 65_536

/** Calls `tell` with each line, without its end. What `tell` throws is its own affair and stops nothing. */
export const each = (stream: Readable, tell: (line: string) => void): void => {
  let rest = ""
  const say = (line: string): void => {
    try {
      tell(line.endsWith("\r") ? line.slice(0, -1) : line)
    } catch {
      // There is nobody to tell.
    }
  }
  stream.setEncoding("utf8")
  stream.on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    lines.forEach(say)
    if (rest.length < MAX_LINE) return
    say(rest)
    rest = ""
  })
  stream.on("end", () => {
    if (rest !== "") say(rest)
  })
}
