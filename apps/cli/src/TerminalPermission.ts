/** Asks the person at the terminal about a tool call (CLI-3). Used by ClientCommand for `--permission ask`. */
import { createInterface } from "node:readline/promises"
import { ReadStream } from "node:tty"
import { PermissionPolicy } from "@acp-client-tools/client/reference"
import { Json, LogLine } from "@acp-client-tools/protocol"

const question = ({ options, toolCall }: Parameters<PermissionPolicy.PermissionPolicy>[0]): string =>
  [
    `The agent asks to run "${LogLine.escape(toolCall.title ?? toolCall.toolCallId)}"`,
    ...(toolCall.rawInput === undefined
      ? []
      : [` with ${LogLine.escape(Json.stringify(toolCall.rawInput) ?? "arguments nested too deep to be shown")}`]),
    "\n",
    ...options.map(({ name }, index) => `  ${index + 1}  ${LogLine.escape(name)}\n`),
    `Your choice (1 to ${options.length}; anything else refuses): `
  ].join("")

const CTRL_C = 3

/** How long keys are thrown away before a question, in ms: what was typed earlier was not meant for it. */
const TYPED_EARLIER = 50

/** Throws away what stands in the terminal's input, line or no line. */
const discardTyped = async (input: NodeJS.ReadableStream, interrupt: () => void): Promise<void> => {
  if (!(input instanceof ReadStream)) return
  input.setRawMode(true)
  const discard = (typed: Buffer) => {
    if (typed.includes(CTRL_C)) interrupt()
  }
  input.on("data", discard)
  input.resume()
  await new Promise((resolve) => setTimeout(resolve, TYPED_EARLIER))
  input.off("data", discard)
  input.pause()
  input.setRawMode(false)
}

/** Where questions are asked. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  /** Called before a question is written: the editing of its answer clears the line it stands on. */
  readonly freshLine: () => void
  /** Called for Ctrl-C: while a question stands the terminal is in raw mode, and Ctrl-C a key like another. */
  readonly interrupt: () => void
}

const stdio = (freshLine: () => void): Terminal => ({
  input: process.stdin,
  output: process.stderr,
  freshLine,
  interrupt: () => process.kill(process.pid, "SIGINT")
})

/** One question at a time, in the order asked; an aborted one is withdrawn and chooses nothing. */
export const ask = ({ freshLine, input, interrupt, output }: Terminal): PermissionPolicy.PermissionPolicy => {
  let last: Promise<unknown> = Promise.resolve()
  return (request, signal) => {
    const answer = last.then(async () => {
      if (signal.aborted) return undefined
      await discardTyped(input, interrupt)
      freshLine()
      const lines = createInterface({ input, output, terminal: true })
      lines.on("SIGINT", interrupt)
      try {
        const chosen = await lines.question(question(request), { signal })
        return /^\d+$/.test(chosen.trim()) ? request.options[Number(chosen) - 1]?.optionId : undefined
      } catch {
        return undefined
      } finally {
        lines.close()
      }
    })
    last = answer.catch(() => undefined)
    return answer
  }
}

/** Asks where there is a terminal to ask at, else refuses, and says so once. */
export const forStdio = (
  writeLine: (line: string) => void,
  freshLine: () => void
): PermissionPolicy.PermissionPolicy => {
  if (process.stdin.isTTY && process.stderr.isTTY) return ask(stdio(freshLine))
  let isSaid = false
  return (request, signal) => {
    if (!isSaid) writeLine("permission denied: --permission ask needs a terminal; use --permission allow or deny")
    isSaid = true
    return PermissionPolicy.deny(request, signal)
  }
}
