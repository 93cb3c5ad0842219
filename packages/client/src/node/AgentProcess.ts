/**
 * An agent as a child process: started from a command, spoken to over its stdin and stdout, ended with everything it
 * started (CLIENT-8). Used by whoever runs a client on Node.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk"
import { Wording } from "@acp-client-tools/protocol"
import { Deferred, Effect, Option, type Scope } from "effect"
import { AgentFailed } from "../reference/AgentFailed.ts"
import * as MessageReader from "./MessageReader.ts"

export interface Options {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** Where the agent's stderr goes: to this process's (the default), nowhere, or line by line to a function. */
  readonly stderr?: "inherit" | "ignore" | ((line: string) => void)
  /** Told in a sentence of each line on the agent's stdout that cannot be ACP. */
  readonly onNoise?: (sentence: string) => void
}

export interface AgentProcess {
  readonly stream: Stream
  /** What became of the process, in words, for when the connection has ended. */
  readonly whyClosed: Effect.Effect<string>
  /** Makes the end come without waiting for the agent to see that its stdin ended: for users who do not want to wait. */
  readonly hurry: Effect.Effect<void>
}

/** How long an agent may take after its stdin ended, in ms; then SIGTERM, and after `TERM_GRACE` more SIGKILL. */
export const EOF_GRACE = 2_500
export const TERM_GRACE = 1_000

// An agent that closed its stdout is about to exit; wait this long to learn how it did.
const EXIT_NEWS_WITHIN = 500

const started = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    child.once("spawn", resolve)
    child.once("error", reject)
  })

const hasExited = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

const exited = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const listener = () => resume(Effect.void)
    if (hasExited(child)) return listener()
    child.once("exit", listener)
    return Effect.sync(() => child.off("exit", listener))
  })

/** True when the process exits within so many ms. */
const exitsWithin = (child: ChildProcess, milliseconds: number): Effect.Effect<boolean> =>
  exited(child).pipe(Effect.timeoutOption(milliseconds), Effect.map(Option.isSome))

/** Signals the agent and all it started; those are gone, or not ours to signal, when it fails. */
const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (child.pid !== undefined) process.kill(process.platform === "win32" ? child.pid : -child.pid, signal)
  } catch {
    // ESRCH: nobody is left.
  }
}

const end = Effect.fnUntraced(function* (child: ChildProcess, hurried: Effect.Effect<void>) {
  child.stdin?.end()
  if (
    !(yield* Effect.raceFirst(
      exitsWithin(child, EOF_GRACE),
      Effect.map(hurried, () => hasExited(child))
    ))
  ) {
    signalGroup(child, "SIGTERM")
    if (!(yield* exitsWithin(child, TERM_GRACE))) {
      signalGroup(child, "SIGKILL")
      yield* exited(child)
    }
  }
  // What the agent left behind in its group goes too.
  signalGroup(child, "SIGKILL")
})

const outcome = (child: ChildProcess): string => {
  if (child.signalCode !== null) return Wording.agentKilled(child.signalCode)
  if (child.exitCode !== null) return Wording.agentExited(child.exitCode)
  return child.stdin?.errored ? Wording.agentStoppedReading : Wording.agentStoppedWriting
}

// After an agent's exit its stdout is read until nothing came for so long, in ms; a child it left may hold it for ever.
const DRAIN = 250

const bytesRead = (child: ChildProcess): unknown => child.stdout && Reflect.get(child.stdout, "bytesRead")

/** Settles when what an exited agent wrote has been read. */
const drained = Effect.fnUntraced(function* (child: ChildProcess) {
  for (let before: unknown = undefined; bytesRead(child) !== before;) {
    before = bytesRead(child)
    yield* Effect.sleep(DRAIN)
  }
})

/** Ends the connection where the end of stdout does not: the agent reads no more, or has exited and left its stdout. */
const endWithAgent = (child: ChildProcess): Effect.Effect<void, never, Scope.Scope> =>
  exited(child).pipe(
    Effect.andThen(drained(child)),
    Effect.raceFirst(
      Effect.callback<void>((resume) => {
        child.stdin?.on("error", () => resume(Effect.void))
      })
    ),
    Effect.andThen(Effect.sync(() => child.stdout?.destroy())),
    Effect.forkScoped,
    Effect.asVoid
  )

const running = new Set<ChildProcess>()

/** A process that is made to exit without closing anything leaves no agent behind. */
const killAll = (): void => running.forEach((child) => signalGroup(child, "SIGKILL"))

const noteRunning = (child: ChildProcess): void => {
  if (running.size === 0) process.on("exit", killAll)
  running.add(child)
}

const noteEnded = (child: ChildProcess): void => {
  running.delete(child)
  if (running.size === 0) process.off("exit", killAll)
}

/** Why a process did not start; `ENOENT` is the system's word for a missing folder as well. */
const reason = (cause: unknown, cwd: string | undefined): string => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
  if (code === "ENOENT") return cwd === undefined ? Wording.noSuchCommand : Wording.noSuchCommandOrFolder(cwd)
  return code === "EACCES" ? Wording.notExecutable : code
}

/**
 * Starts an agent; with the scope it ends: stdin is closed, then SIGTERM, then SIGKILL go to its whole process group.
 */
export const start = Effect.fnUntraced(function* ({
  args,
  command,
  cwd,
  env,
  onNoise = () => undefined,
  stderr = "inherit"
}: Options): Effect.fn.Return<AgentProcess, AgentFailed, Scope.Scope> {
  const hurried = yield* Deferred.make<void>()
  const child = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const settings = {
          detached: true,
          ...(env === undefined ? {} : { env: { ...env } }),
          ...(cwd === undefined ? {} : { cwd })
        }
        const agent =
          typeof stderr === "function"
            ? spawn(command, args, { ...settings, stdio: ["pipe", "pipe", "pipe"] })
            : spawn(command, args, { ...settings, stdio: ["pipe", "pipe", stderr] })
        await started(agent)
        noteRunning(agent)
        if (agent.stderr !== null && typeof stderr === "function") {
          createInterface({ input: agent.stderr }).on("line", stderr)
        }
        return agent
      },
      catch: (cause) => new AgentFailed({ message: Wording.cannotStart(command, reason(cause, cwd)) })
    }),
    (acquired) => end(acquired, Deferred.await(hurried)).pipe(Effect.ensuring(Effect.sync(() => noteEnded(acquired))))
  )
  child.stdin.on("error", () => undefined)
  yield* endWithAgent(child)
  const { writable } = ndJsonStream(Writable.toWeb(child.stdin), new ReadableStream())
  return {
    stream: { writable, readable: ReadableStream.from(MessageReader.read(child.stdout, onNoise)) },
    whyClosed: exitsWithin(child, EXIT_NEWS_WITHIN).pipe(Effect.map(() => outcome(child))),
    hurry: Effect.asVoid(Deferred.succeed(hurried, undefined))
  }
})
