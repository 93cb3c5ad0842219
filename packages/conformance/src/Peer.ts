import { spawn } from "node:child_process"
import type { ChildProcessWithoutNullStreams } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { Lines } from "./Lines.ts"
import type { Line } from "./Lines.ts"

/** A program to start. `env` is added to the environment of the runner, `cwd` is the transcript's folder by default. */
export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** How a process ended: its exit code, the name of the signal, or why it could not be started. */
export type Exit = number | string

/** Waits for a promise until the deadline and leaves no timer behind. */
export const within = async <A>(promise: Promise<A>, ms: number): Promise<A | undefined> => {
  const done = new AbortController()
  const timer = sleep(ms, undefined, { signal: done.signal }).catch(() => undefined)
  try {
    return await Promise.race([promise, timer])
  } finally {
    done.abort()
  }
}

/** How long {@link Peer.end} waits after closing stdin, and again after SIGTERM. */
export const grace = { close: 2000, terminate: 1000 }

/** The process under test, in a process group of its own, with the lines of its stdout and stderr. */
export class Peer {
  readonly stdout: Lines
  readonly stderr: Lines
  /** Settles when the process is gone. */
  readonly exited: Promise<Exit>
  /** How the process ended, once it has. */
  exit: Exit | undefined
  readonly #child: ChildProcessWithoutNullStreams
  #ending: Promise<void> | undefined

  constructor(command: Command, dir: string, on: { stdout: (line: Line) => void; stderr: (line: Line) => void }) {
    const child = spawn(command.command, command.args, {
      cwd: command.cwd ?? dir,
      env: { ...process.env, ...command.env },
      detached: true
    })
    this.#child = child
    this.stdout = new Lines(on.stdout)
    this.stderr = new Lines(on.stderr)
    for (const [stream, lines] of [[child.stdout, this.stdout] as const, [child.stderr, this.stderr] as const]) {
      stream.on("data", (chunk: Buffer) => lines.push(chunk) || stream.destroy())
      stream.on("close", () => lines.end())
      stream.on("error", () => lines.end())
    }
    child.stdin.on("error", () => {}) // a peer that stopped reading shows in what it does not answer
    this.exited = new Promise((resolve) => {
      child.once("error", (error) => resolve(`could not be started: ${error.message}`))
      child.once("exit", (code, signal) => resolve(code ?? signal ?? "unknown"))
    })
    void this.exited.then((exit) => (this.exit = exit))
  }

  /** Writes to its stdin, in one call. */
  write(bytes: Uint8Array): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(bytes)
  }

  /** Ends its stdin. */
  closeInput(): void {
    this.#child.stdin.end()
  }

  /** Sends a signal to the process alone, as `kill` does. */
  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** Ends it for certain: closes stdin, waits, SIGTERM, waits, SIGKILL, the last two to its whole process group. */
  end(): Promise<void> {
    return (this.#ending ??= this.#end())
  }

  async #end(): Promise<void> {
    this.closeInput()
    if ((await within(this.exited, grace.close)) === undefined) {
      this.#signalGroup("SIGTERM")
      await within(this.exited, grace.terminate)
    }
    this.#signalGroup("SIGKILL")
    await this.exited
    const { stdout, stderr } = this.#child
    const closed = [stdout, stderr].filter((stream) => !stream.closed).map((stream) => once(stream, "close"))
    await within(Promise.all(closed), 500)
    stdout.destroy()
    stderr.destroy()
    this.stdout.end()
    this.stderr.end()
  }

  #signalGroup(name: NodeJS.Signals): void {
    if (this.#child.pid === undefined) return
    try {
      process.kill(-this.#child.pid, name)
    } catch {
      // nobody is left
    }
  }
}
