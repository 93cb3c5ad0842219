/** The agent's stderr: one event, one line. Everything that could reach it goes through here (LOG-5). */
import { format } from "node:util"
import { LogLine } from "@acp-client-tools/protocol"

/** Writes one line, whatever stands in it. */
export const line = (text: string): void => {
  process.stderr.write(`${LogLine.escape(text)}\n`)
}

const write = (...values: ReadonlyArray<unknown>): void => line(format(...values))

/**
 * Sends `console` to stderr, a line for each call: the ACP SDK prints what a peer sent through `console.error`, and
 * stdout belongs to ACP alone.
 */
export const captureConsole = (): void => {
  // Nobody reads stderr, or its disk is full: a line less, and no more than that.
  process.stderr.on("error", () => undefined)
  Object.assign(console, { log: write, info: write, debug: write, warn: write, error: write, trace: write, dir: write })
}
