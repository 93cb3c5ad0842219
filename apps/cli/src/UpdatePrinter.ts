/** What the client shows of a turn: the agent's words on stdout and its tool calls on stderr, or all of it as JSON lines. */
import type { Update } from "@acp-client-tools/client/reference"
import { Json, LogLine } from "@acp-client-tools/protocol"

export interface UpdatePrinter {
  readonly update: (update: Update) => void
  /** Called when the turn ended. */
  readonly stop: (sessionId: string, stopReason: string) => void
  /** Ends the line that the agent's words stand on, for what needs a line of its own; called at the very end as well. */
  readonly freshLine: () => void
}

/** One line for each update with its params as received, and a last one with the stop reason (CLI-2). */
export const json = (write: (text: string) => void): UpdatePrinter => ({
  update: (update) => write(`${JSON.stringify(update)}\n`),
  stop: (sessionId, stopReason) => write(`${JSON.stringify({ sessionId, stopReason })}\n`),
  freshLine: () => undefined
})

const asText = (value: unknown): string => (typeof value === "string" ? value : "")

/** Text for a terminal: lines and tabs are kept, other control characters are shown, not executed. */
const printable = (text: string): string => text.replaceAll(/[^\n\t]+/g, LogLine.escape)

/** For people: the agent's words as they come, and a line for every step of a tool call. */
export const text = (
  write: (text: string) => void,
  writeLine: (line: string) => void,
  isTerminal: boolean
): UpdatePrinter => {
  const titles = new Map<string, string>()
  let isLineOpen = false
  // An agent that cuts its text anywhere may leave one half of a character to the next chunk.
  let half = ""
  const freshLine = (): void => {
    if (half !== "") write(half)
    half = ""
    if (isLineOpen) write("\n")
    isLineOpen = false
  }
  const say = (chunk: string): void => {
    const arrived = half + chunk
    half = /[\uD800-\uDBFF]$/.test(arrived) ? arrived.slice(-1) : ""
    const words = arrived.slice(0, arrived.length - half.length)
    if (words === "") return
    write(isTerminal ? printable(words) : words)
    isLineOpen = !words.endsWith("\n")
  }
  return {
    update: ({ update }) => {
      switch (update.sessionUpdate) {
        case "agent_message_chunk":
          return say(asText(Json.get(update["content"], "text")))
        case "tool_call":
        case "tool_call_update": {
          const id = asText(update["toolCallId"])
          const title = asText(update["title"]) || (titles.get(id) ?? id)
          titles.set(id, title)
          const status = asText(update["status"])
          // What the agent says after a tool call is another message.
          freshLine()
          if (status !== "") writeLine(`[tool] ${LogLine.escape(title)}: ${LogLine.escape(status)}`)
          return
        }
      }
    },
    stop: () => undefined,
    freshLine
  }
}
