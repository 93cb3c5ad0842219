/**
 * ACP `terminal/*` with child processes: commands run in a session's folders, without a terminal's input or screen. Offered
 * to agents by a client that has no terminal panel. What a command starts is ended with it, unless it leaves its process
 * group.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { statSync } from "node:fs"
import {
  type CreateTerminalRequest,
  type CreateTerminalResponse,
  type KillTerminalRequest,
  type ReleaseTerminalRequest,
  RequestError,
  type TerminalExitStatus,
  type TerminalOutputRequest,
  type TerminalOutputResponse,
  type WaitForTerminalExitRequest,
  type WaitForTerminalExitResponse
} from "@agentclientprotocol/sdk"
import { Identifiers, Wording } from "@acp-client-tools/protocol"
import { Effect } from "effect"
import type { Context } from "../reference/Service.ts"
import type { Terminals } from "../reference/Terminals.ts"
import * as LocalPath from "./LocalPath.ts"
import * as ProcessGroup from "./ProcessGroup.ts"
import * as TerminalOutput from "./TerminalOutput.ts"

export interface Options {
  /** Folders in which commands may be run in every session beside its own. Absolute paths. */
  readonly roots?: ReadonlyArray<string> | undefined
}

export interface LocalTerminals extends Terminals {
  /** Rejects with an error of code -32602, which says why a command cannot be run. */
  readonly create: (request: CreateTerminalRequest, context: Context) => Promise<CreateTerminalResponse>
  readonly output: (request: TerminalOutputRequest) => TerminalOutputResponse
  readonly waitForExit: (request: WaitForTerminalExitRequest) => Promise<WaitForTerminalExitResponse>
  /** Succeeds when the command is gone: SIGTERM goes to its process group, and SIGKILL 1 s later. */
  readonly kill: (request: KillTerminalRequest) => Effect.Effect<void>
  /** As `kill`, and what waits for the command's exit settles. */
  readonly release: (request: ReleaseTerminalRequest) => Effect.Effect<void>
  readonly end: (sessionId: string) => Effect.Effect<void>
}

/** How much output is kept, in bytes: where the agent does not say, and at most. As JSON that always fits into a message. */
const OUTPUT_LIMIT = 1024 * 1024
const MAX_OUTPUT_LIMIT = 4 * 1024 * 1024

interface Terminal {
  readonly sessionId: string
  readonly child: ChildProcess
  readonly output: TerminalOutput.TerminalOutput
  /** Settles when the command has exited and all it wrote has been read. */
  readonly exit: Promise<TerminalExitStatus>
  /** What `exit` settled with, once it has. */
  readonly exitStatus: () => TerminalExitStatus | undefined
}

/** The real path of the folder to run a command in. */
const folderFor = (
  { cwd }: CreateTerminalRequest,
  context: Context,
  roots: ReadonlyArray<string> | undefined
): string => {
  const path = cwd ?? context.cwd
  try {
    const folder = LocalPath.inside(path, LocalPath.foldersOf(context, roots))
    if (statSync(folder).isDirectory()) return folder
  } catch (cause) {
    if (cause instanceof RequestError) throw cause
  }
  throw new RequestError(Identifiers.INVALID_PARAMS, Wording.folderMissing(path))
}

const run = ({ args = [], command, env = [] }: CreateTerminalRequest, folder: string): ChildProcess =>
  spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true
  })

/** Reads what a command writes, from the start to its end. */
const follow = (child: ChildProcess, sessionId: string, limit: number): Terminal => {
  const output = TerminalOutput.make(limit)
  // Each decodes for itself: a piece of the one may come between two bytes of the other.
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", output.append)
  let exitStatus: TerminalExitStatus | undefined
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()))
  // What a command left behind may hold its pipes for ever.
  const left = Effect.andThen(ProcessGroup.exited(child), ProcessGroup.drained(child))
  const exit = Effect.runPromise(
    Effect.raceFirst(
      Effect.promise(() => closed),
      left
    )
  ).then(() => {
    exitStatus = { exitCode: child.exitCode, signal: child.signalCode }
    return exitStatus
  })
  return { sessionId, child, output, exit, exitStatus: () => exitStatus }
}

/** Ends a command and what it left behind, and hears it out. */
const kill = ({ child, exit }: Terminal): Effect.Effect<void> =>
  ProcessGroup.stop(child).pipe(Effect.andThen(Effect.promise(() => exit)), Effect.asVoid, Effect.uninterruptible)

/** Ends a command that nobody will ask about any more. What got away from its process group is not listened to either. */
const close = ({ child }: Terminal): Effect.Effect<void> =>
  ProcessGroup.stop(child).pipe(
    Effect.andThen(Effect.sync(() => [child.stdout, child.stderr].forEach((stream) => stream?.destroy()))),
    Effect.uninterruptible
  )

/** Terminals for one client. Each session's are to be ended with it; what still runs when this process exits is killed. */
export const make = ({ roots }: Options = {}): LocalTerminals => {
  const terminals = new Map<string, Terminal>()
  let created = 0

  const find = (request: { readonly sessionId: string; readonly terminalId: string }): Terminal => {
    const terminal = terminals.get(request.terminalId)
    if (terminal?.sessionId !== request.sessionId) {
      throw new RequestError(Identifiers.INVALID_PARAMS, Wording.terminalUnknown(request.terminalId))
    }
    return terminal
  }

  const forget = (terminalId: string, terminal: Terminal): Effect.Effect<void> => {
    terminals.delete(terminalId)
    return close(terminal)
  }

  /** Starts a command, known from the first moment, so that an end of its session finds it. */
  const start = async (request: CreateTerminalRequest, folder: string) => {
    const terminalId = `terminal-${++created}`
    const child = run(request, folder)
    const limit = Math.min(request.outputByteLimit ?? OUTPUT_LIMIT, MAX_OUTPUT_LIMIT)
    const terminal = follow(child, request.sessionId, limit)
    if (child.pid !== undefined) terminals.set(terminalId, terminal)
    await ProcessGroup.started(child)
    return { terminalId, terminal }
  }

  return {
    create: async (request, context) => {
      const folder = folderFor(request, context, roots)
      const { terminal, terminalId } = await start(request, folder).catch((cause: unknown) => {
        throw new RequestError(
          Identifiers.INVALID_PARAMS,
          Wording.commandNotStarted(request.command, ProcessGroup.whyNotStarted(cause, undefined))
        )
      })
      if (context.signal.aborted) await Effect.runPromise(forget(terminalId, terminal))
      return { terminalId }
    },
    output: (request) => {
      const { exitStatus, output } = find(request)
      const status = exitStatus()
      return { ...output.read(), ...(status === undefined ? {} : { exitStatus: status }) }
    },
    waitForExit: (request) => find(request).exit,
    kill: (request) => kill(find(request)),
    release: (request) => forget(request.terminalId, find(request)),
    end: (sessionId) =>
      Effect.forEach(
        [...terminals].filter(([, terminal]) => terminal.sessionId === sessionId),
        ([terminalId, terminal]) => forget(terminalId, terminal),
        { concurrency: "unbounded", discard: true }
      )
  }
}
