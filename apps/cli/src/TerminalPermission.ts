/** Asks the person at the terminal about a tool call (CLI-3). Used by ClientCommand for `--permission ask`. */
import { createInterface } from "node:readline/promises"
import { PermissionPolicy } from "@acp-client-tools/client/reference"
import { LogLine } from "@acp-client-tools/protocol"

const question = ({ options, toolCall }: Parameters<PermissionPolicy.PermissionPolicy>[0]): string =>
  [
    `The agent asks to run "${LogLine.escape(toolCall.title ?? toolCall.toolCallId)}"`,
    ...(toolCall.rawInput === undefined ? [] : [` with ${LogLine.escape(JSON.stringify(toolCall.rawInput))}`]),
    "\n",
    ...options.map(({ name }, index) => `  ${index + 1}  ${LogLine.escape(name)}\n`),
    "Your choice (anything else: none): "
  ].join("")

/** One question at a time, in the order asked. */
export const ask = (): PermissionPolicy.PermissionPolicy => {
  let last: Promise<unknown> = Promise.resolve()
  return (request, signal) => {
    const answer = last.then(async () => {
      if (signal.aborted) return undefined
      const terminal = createInterface({ input: process.stdin, output: process.stderr })
      // The terminal is in raw mode while the question stands: Ctrl-C is a key here, and has to be made a signal again.
      terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
      try {
        const chosen = await terminal.question(question(request), { signal })
        return /^\d+$/.test(chosen.trim()) ? request.options[Number(chosen) - 1]?.optionId : undefined
      } catch {
        return undefined
      } finally {
        terminal.close()
      }
    })
    last = answer
    return answer
  }
}

/** `ask` where there is a terminal to ask at, else a refusal that says so, once. */
export const forStdio = (writeLine: (line: string) => void): PermissionPolicy.PermissionPolicy => {
  if (process.stdin.isTTY && process.stderr.isTTY) return ask()
  let isSaid = false
  return (request, signal) => {
    if (!isSaid) writeLine("permission denied: --permission ask needs a terminal; use --permission allow or deny")
    isSaid = true
    return PermissionPolicy.deny(request, signal)
  }
}
