/** One run of a command to its end. Used by tests of the command line. */
import { type ChildProcess, spawn } from "node:child_process"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import type { Command } from "./Command.ts"

export interface Options {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** What stands on its stdin, which is closed behind it. */
  readonly stdin?: string
  /** Called with the process once it runs. */
  readonly onStart?: (child: ChildProcess) => void
}

export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

// A stream the test itself destroyed says nothing.
const all = (stream: Readable): Promise<string> => text(stream).catch(() => "")

export const toEnd = async ({ args, command }: Command, options: Options = {}): Promise<Ended> => {
  const child = spawn(command, args, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"]
  })
  child.stdin.on("error", () => undefined)
  child.stdin.end(options.stdin ?? "")
  options.onStart?.(child)
  const exited = new Promise<number | null>((resolve) => {
    child.on("close", resolve)
  })
  const [stdout, stderr, exitCode] = await Promise.all([all(child.stdout), all(child.stderr), exited])
  return { exitCode, stdout, stderr }
}
