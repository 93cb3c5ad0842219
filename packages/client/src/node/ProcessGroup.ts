/**
 * A child process and all it starts: signalled as one, and gone with this process at the latest. Spawned by AgentProcess
 * and LocalTerminals, with `detached`, so that it leads a process group of its own; on Windows it stands alone.
 */
import type { ChildProcess } from "node:child_process"
import { SystemError, Wording } from "@acp-client-tools/protocol"
import { Effect, Option } from "effect"

/** How long a process may take after SIGTERM, in ms; then SIGKILL. */
export const TERM_GRACE = 1_000

export const hasExited = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** Settles when the process itself has exited; what it left behind may still run. */
export const exited = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const listener = () => resume(Effect.void)
    if (hasExited(child)) return listener()
    child.once("exit", listener)
    return Effect.sync(() => child.off("exit", listener))
  })

/** True when the process exits within so many ms. */
export const exitsWithin = (child: ChildProcess, milliseconds: number): Effect.Effect<boolean> =>
  exited(child).pipe(Effect.timeoutOption(milliseconds), Effect.map(Option.isSome))

/** The groups in which somebody may be left. */
const running = new Set<ChildProcess>()

/** Signals the whole group, 0 asks for it; false when nobody is left, or nobody of ours. */
const signal = (child: ChildProcess, name: NodeJS.Signals | 0): boolean => {
  // The id of a group that has ended may be another's by now.
  if (child.pid === undefined || !running.has(child)) return false
  try {
    return process.kill(process.platform === "win32" ? child.pid : -child.pid, name)
  } catch {
    return false
  }
}

/** A process that is made to exit without closing anything leaves no child behind. */
const killAll = (): void => running.forEach((child) => signal(child, "SIGKILL"))

const signals = ["SIGHUP", "SIGINT", "SIGTERM"] as const

/** A signal that nobody else listens for ends this process without `exit`: the children first, and then as it would have. */
const killAllAndEnd = (name: NodeJS.Signals): void => {
  if (process.listenerCount(name) > 1) return
  killAll()
  process.off(name, killAllAndEnd)
  process.kill(process.pid, name)
}

const noteRunning = (child: ChildProcess): void => {
  if (running.size === 0) {
    process.on("exit", killAll)
    signals.forEach((name) => process.on(name, killAllAndEnd))
  }
  running.add(child)
}

const noteEnded = (child: ChildProcess): void => {
  running.delete(child)
  if (running.size > 0) return
  process.off("exit", killAll)
  signals.forEach((name) => process.off(name, killAllAndEnd))
}

/** The child once it runs. Rejects when it cannot be started, for a reason that `whyNotStarted` words. */
export const started = <Child extends ChildProcess>(child: Child): Promise<Child> =>
  new Promise((resolve, reject) => {
    if (child.pid !== undefined) noteRunning(child)
    child.once("exit", () => {
      if (!signal(child, 0)) noteEnded(child)
    })
    child.once("spawn", () => resolve(child))
    child.once("error", reject)
  })

/** Why a child could not be started in a folder, in words; `ENOENT` is the system's word for a missing folder as well. */
export const whyNotStarted = (cause: unknown, cwd: string | undefined): string => {
  if (SystemError.code(cause) !== "ENOENT") return SystemError.reason(cause)
  return cwd === undefined ? Wording.noSuchCommand : Wording.noSuchCommandOrFolder(cwd)
}

/** Ends the group: SIGTERM, after `TERM_GRACE` SIGKILL; what the process has left behind when it exits is killed. */
export const stop = Effect.fnUntraced(function* (child: ChildProcess) {
  if (!hasExited(child)) {
    signal(child, "SIGTERM")
    if (!(yield* exitsWithin(child, TERM_GRACE))) {
      signal(child, "SIGKILL")
      yield* exited(child)
    }
  }
  signal(child, "SIGKILL")
  noteEnded(child)
})

// What an exited process wrote is read until nothing came for so long, in ms; a child it left may hold its pipes for ever.
const QUIET = 250
// Nor is a child listened to for longer that goes on writing.
const DRAINED_AFTER = 2_000

const bytesRead = ({ stderr, stdout }: ChildProcess): number =>
  [stdout, stderr].reduce((sum, stream) => sum + Number((stream && Reflect.get(stream, "bytesRead")) ?? 0), 0)

/** Settles when what an exited process wrote has been read. */
export const drained = Effect.fnUntraced(function* (child: ChildProcess) {
  for (let before = -1, waited = 0; bytesRead(child) !== before && waited < DRAINED_AFTER; waited += QUIET) {
    before = bytesRead(child)
    yield* Effect.sleep(QUIET)
  }
})
