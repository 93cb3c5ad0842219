/** Errors nobody waits for: a promise that handler code left to reject, a throw in its timer (CLIENT-4). */
import { Thrown } from "@acp-client-tools/protocol"

/** Reports each in one line; the process goes on. */
export const report = (writeLine: (line: string) => void): void => {
  const line = (cause: unknown): void => writeLine(`an error was left behind by a tool: ${Thrown.text(cause)}`)
  process.on("unhandledRejection", line)
  process.on("uncaughtException", line)
}
