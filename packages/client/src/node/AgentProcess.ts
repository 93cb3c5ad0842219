/**
 * An agent as a child process: started from a command, spoken to over its stdin and stdout, ended with everything it
 * started (CLIENT-8). Used by whoever runs a client on Node.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Stream } from "@agentclientprotocol/sdk"
import { Wording } from "@acp-client-tools/protocol"
import { Deferred, Effect, type Scope } from "effect"
import { AgentFailed } from "../reference/AgentFailed.ts"
import * as MessageReader from "./MessageReader.ts"
import * as MessageWriter from "./MessageWriter.ts"
import * as ProcessGroup from "./ProcessGroup.ts"
import * as TextLines from "./TextLines.ts"

export interface Options {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** The whole environment, `PATH` included; this process's when absent. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** The folder the agent starts in; this process's when absent. */
  readonly cwd?: string | undefined
  /** Where the agent's stderr goes: to this process's (the default), nowhere, or line by line to a function. */
  readonly stderr?: "inherit" | "ignore" | ((line: string) => void) | undefined
  /** Told in a sentence of each line on the agent's stdout that cannot be ACP. */
  readonly onNoise?: ((sentence: string) => void) | undefined
}

export interface AgentProcess {
  readonly stream: Stream
  /** What became of the process, in words, for when the connection has ended. */
  readonly whyClosed: Effect.Effect<string>
  /** Makes the end come without waiting for the agent to see that its stdin ended: for users who do not want to wait. */
  readonly hurry: Effect.Effect<void>
}

/** How long an agent may take after its stdin ended, in ms; then it is stopped with its process group. */
export const EOF_GRACE = 2_500

// An agent that closed its stdout is about to exit; wait this long to learn how it did.
const EXIT_NEWS_WITHIN = 500

// What an agent that reads no more still has to say is waited for so long, in ms.
const LAST_WORDS_WITHIN = 1_000

const end = Effect.fnUntraced(function* (child: ChildProcess, hurried: Effect.Effect<void>) {
  child.stdin?.end()
  yield* Effect.raceFirst(ProcessGroup.exitsWithin(child, EOF_GRACE), hurried)
  yield* ProcessGroup.stop(child)
  // What got away from its process group may hold them, and would keep this process.
  child.stdout?.destroy()
  child.stderr?.destroy()
})

const outcome = (child: ChildProcess): string => {
  if (child.signalCode !== null) return Wording.agentKilled(child.signalCode)
  if (child.exitCode !== null) return Wording.agentExited(child.exitCode)
  return child.stdin?.errored ? Wording.agentStoppedReading : Wording.agentStoppedWriting
}

/** Ends the connection where the end of stdout does not: the agent reads no more, or has exited and left its stdout. */
const endWithAgent = (child: ChildProcess): Effect.Effect<void, never, Scope.Scope> =>
  ProcessGroup.exited(child).pipe(
    Effect.raceFirst(
      Effect.callback<void>((resume) => {
        child.stdin?.on("error", () => resume(Effect.sleep(LAST_WORDS_WITHIN)))
      })
    ),
    Effect.andThen(ProcessGroup.drained(child)),
    Effect.andThen(Effect.sync(() => child.stdout?.destroy())),
    Effect.forkScoped,
    Effect.asVoid
  )

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
        const agent = await ProcessGroup.started(
          typeof stderr === "function"
            ? spawn(command, args, { ...settings, stdio: ["pipe", "pipe", "pipe"] })
            : spawn(command, args, { ...settings, stdio: ["pipe", "pipe", stderr] })
        )
        if (agent.stderr !== null && typeof stderr === "function") {
          TextLines.each(agent.stderr, stderr)
        }
        return agent
      },
      catch: (cause) =>
        new AgentFailed({ message: Wording.cannotStart(command, ProcessGroup.whyNotStarted(cause, cwd)) })
    }),
    (acquired) => end(acquired, Deferred.await(hurried))
  )
  child.stdin.on("error", () => undefined)
  yield* endWithAgent(child)
  return {
    stream: {
      writable: MessageWriter.to(child.stdin),
      readable: ReadableStream.from(MessageReader.read(child.stdout, onNoise))
    },
    whyClosed: ProcessGroup.exitsWithin(child, EXIT_NEWS_WITHIN).pipe(Effect.map(() => outcome(child))),
    hurry: Effect.asVoid(Deferred.succeed(hurried, undefined))
  }
})
