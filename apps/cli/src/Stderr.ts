/** This process's stderr, as the commands write it. */
import { format } from "node:util"
import { LogLine } from "@acp-client-tools/protocol"

/** Writes one line, whatever a peer put into it (LOG-5). */
export const writeLine = (line: string): void => {
  process.stderr.write(`${LogLine.escape(line)}\n`)
}

/** How long somebody may take to read the last words, in ms. */
const READ_GRACE = 2_000

/** Writes a message of our own, of any length, and waits until it has left the process. */
export const write = (message: string): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, READ_GRACE)
    process.stderr.write(`${message}\n`, () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** The ACP SDK prints what a peer sent through `console.error`: each call is one line here (LOG-5). */
export const captureErrors = (): void => {
  console.error = (...values: ReadonlyArray<unknown>) => writeLine(format(...values))
}
