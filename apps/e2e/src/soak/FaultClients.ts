/** A client in a process of its own, which serves many runs and is replaced when one of them ended it. Used by FaultRun. */
import { type ChildProcess, fork } from "node:child_process"
import { createInterface } from "node:readline"
import type { Discovery } from "@acp-client-tools/protocol"
import type { Command } from "../Command.ts"
import type { Outcome } from "./FaultScenario.ts"

export interface Question {
  readonly agent: Command
  readonly discovery: Discovery.Mode
}

export interface Ran {
  /** `undefined` when the process ended before. */
  readonly outcome: Outcome | undefined
  /** The exit code or the signal of a process that ended. */
  readonly exit: string | undefined
  /** Its lines; of a process that ended, more may come while its agent has not. */
  readonly stderr: ReadonlyArray<string>
}

export interface FaultClients extends AsyncDisposable {
  /** One run at a time. */
  readonly run: (question: Question) => Promise<Ran>
}

/** The last line of a run on stderr. */
const END_LINE = "— the run is over —"

interface Running {
  readonly child: ChildProcess
  readonly exited: Promise<string>
  stderr: Array<string>
  onEndLine: () => void
}

const start = (clientFile: string): Running => {
  const child = fork(clientFile, [END_LINE], { stdio: ["ignore", "inherit", "pipe", "ipc"], execArgv: [] })
  const running: Running = {
    child,
    exited: new Promise((resolve) => {
      child.on("exit", (code, signal) => resolve(String(signal ?? code)))
    }),
    stderr: [],
    onEndLine: () => undefined
  }
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (line === END_LINE) running.onEndLine()
      else running.stderr.push(line)
    })
  }
  return running
}

/** `clientFile` is a program of FaultPrograms. */
export const make = (clientFile: string): FaultClients => {
  let current: Running | undefined
  return {
    run: async (question) => {
      const running = (current ??= start(clientFile))
      const stderr: Array<string> = []
      running.stderr = stderr
      const said = new Promise<void>((resolve) => {
        running.onEndLine = resolve
      })
      const answered = new Promise<Outcome>((resolve) => {
        running.child.once("message", (outcome: Outcome) => resolve(outcome))
      })
      running.child.send(question)
      const ended = await Promise.race([Promise.all([answered, said]), running.exited])
      if (typeof ended !== "string") return { outcome: ended[0], exit: undefined, stderr }
      current = undefined
      return { outcome: undefined, exit: ended, stderr }
    },
    [Symbol.asyncDispose]: async () => {
      current?.child.disconnect()
      await current?.exited
    }
  }
}
