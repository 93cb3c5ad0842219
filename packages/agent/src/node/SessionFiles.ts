/**
 * Sessions on disk: for each an append-only file of JSON lines, a header and then its entries (SESS-1, SESS-2). The store of
 * the command. A file is opened for as long as one write takes, so an idle session costs nothing.
 */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync
} from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join, resolve } from "node:path"
import { Json, Wording } from "@acp-client-tools/protocol"
import { Effect } from "effect"
import * as SessionEntry from "../reference/SessionEntry.ts"
import * as SessionId from "../reference/SessionId.ts"
import * as SessionStore from "../reference/SessionStore.ts"
import type { AgentFile } from "./AgentFile.ts"
import * as ProcessIdentity from "./ProcessIdentity.ts"
import * as SessionLock from "./SessionLock.ts"
import * as SystemError from "./SystemError.ts"

type Environment = Readonly<Record<string, string | undefined>>

const stateHome = (env: Environment): string => {
  const named = env["XDG_STATE_HOME"]
  if (named !== undefined && isAbsolute(named)) return named
  return env["LOCALAPPDATA"] ?? join(homedir(), ".local", "state")
}

/** Where an agent file keeps its sessions: where it says, else where the user's programs keep their state (CFG-1). */
export const directoryOf = ({ config, directory }: AgentFile, env: Environment): string => {
  const named = config.sessions.directory
  if (named === undefined) return join(stateHome(env), "acp-client-tools", "sessions")
  return resolve(directory, named.replace(/^~(?=$|[\\/])/, homedir()))
}

/** What begins every file. Agents refuse a greater version, and skip entries they do not know. */
const FORMAT = "acp-client-tools/session"
const VERSION = 1

interface Header {
  readonly version: number
  readonly cwd: string
}

const headerLine = (cwd: string): string => `${JSON.stringify({ format: FORMAT, version: VERSION, cwd })}\n`

/** The lines of a text as JSON. What is torn, or is no JSON, is left out: a crash may have cut any line short (SESS-2). */
const jsonLines = (text: string): ReadonlyArray<unknown> =>
  text.split("\n").flatMap((line) => {
    const parsed = Json.parse(line)
    return parsed === undefined ? [] : [parsed.value]
  })

const headerOf = (lines: ReadonlyArray<unknown>): Header | undefined => {
  const header = lines.find((line) => Json.get(line, "format") === FORMAT)
  const version = Json.get(header, "version")
  const cwd = Json.get(header, "cwd")
  return typeof version === "number" && typeof cwd === "string" ? { version, cwd } : undefined
}

const entriesOf = (lines: ReadonlyArray<unknown>): ReadonlyArray<SessionEntry.SessionEntry> =>
  lines.flatMap((line) => SessionEntry.decode(line) ?? [])

/** Holds a file's header and its title, which stands before the first prompt. */
const HEAD_BYTES = 16_384

const readHead = (path: string): { readonly lines: ReadonlyArray<unknown>; readonly updatedAt: string } => {
  const file = openSync(path, "r")
  try {
    const bytes = Buffer.alloc(HEAD_BYTES)
    const length = readSync(file, bytes, 0, HEAD_BYTES, 0)
    return { lines: jsonLines(bytes.toString("utf8", 0, length)), updatedAt: fstatSync(file).mtime.toISOString() }
  } finally {
    closeSync(file)
  }
}

/** A file that is added to. What could not be written waits, and goes before what comes next. */
const appender = (path: string, isTorn: boolean): ((line: string) => void) => {
  let waiting = isTorn ? "\n" : ""
  return (line) => {
    waiting += line
    try {
      appendFileSync(path, waiting, { mode: 0o600 })
      waiting = ""
    } catch (cause) {
      // A part of it may be in the file; a line of its own keeps that from what follows.
      if (!waiting.startsWith("\n")) waiting = `\n${waiting}`
      throw cause
    }
  }
}

const attempt = <A>(path: string, work: () => A): Effect.Effect<A, SessionStore.StoreFault> =>
  Effect.try({
    try: work,
    catch: (cause) =>
      new SessionStore.StoreFault({ reason: "failed", message: Wording.sessionFile(path, SystemError.reason(cause)) })
  })

const EXTENSION = ".jsonl"

/** The store in a directory, which is made with its first session. */
export const make = (directory: string): SessionStore.SessionStore => {
  const fileOf = (sessionId: string) => join(directory, `${sessionId}${EXTENSION}`)
  const lockOf = (sessionId: string) => join(directory, `${sessionId}.lock`)

  const lock = Effect.fnUntraced(function* (sessionId: string) {
    const path = lockOf(sessionId)
    const owner = yield* attempt(path, () => SessionLock.acquire(path))
    if (owner === undefined) return
    const message =
      owner.host === ProcessIdentity.self().host
        ? Wording.sessionOpenElsewhere(sessionId, owner.pid)
        : Wording.sessionOpenOnHost(sessionId, owner.host, path)
    return yield* new SessionStore.StoreFault({ reason: "inUse", message })
  })
  const unlock = (sessionId: string) =>
    Effect.ignore(attempt(lockOf(sessionId), () => SessionLock.release(lockOf(sessionId))))

  const logOf = (sessionId: string, write: (line: string) => void): SessionStore.SessionLog => ({
    append: (entry) => attempt(fileOf(sessionId), () => write(`${JSON.stringify(entry)}\n`)),
    close: unlock(sessionId)
  })

  const begin = (sessionId: string, cwd: string) =>
    attempt(fileOf(sessionId), () => {
      appendFileSync(fileOf(sessionId), headerLine(cwd), { mode: 0o600, flag: "ax" })
      return logOf(sessionId, appender(fileOf(sessionId), false))
    })

  const read = Effect.fnUntraced(function* (sessionId: string, cwd: string) {
    const path = fileOf(sessionId)
    // It may have been deleted while the lock was waited for.
    if (!existsSync(path)) return yield* new SessionStore.SessionUnknown({ sessionId })
    const text = yield* attempt(path, () => readFileSync(path, "utf8"))
    const lines = jsonLines(text)
    const header = headerOf(lines)
    if (header !== undefined && header.version > VERSION) {
      const message = Wording.sessionFromFuture(sessionId, header.version, VERSION)
      return yield* new SessionStore.StoreFault({ reason: "failed", message })
    }
    const write = appender(path, text !== "" && !text.endsWith("\n"))
    if (header === undefined) yield* attempt(path, () => write(headerLine(cwd)))
    return { log: logOf(sessionId, write), entries: entriesOf(lines) }
  })

  const infoOf = (sessionId: string): SessionStore.SessionInfo | undefined => {
    try {
      const { lines, updatedAt } = readHead(fileOf(sessionId))
      const header = headerOf(lines)
      return header && { sessionId, cwd: header.cwd, updatedAt, ...SessionStore.titleOf(entriesOf(lines)) }
    } catch {
      // Deleted meanwhile, or somebody else's: not in the list.
      return undefined
    }
  }

  const sessionIds = (): ReadonlyArray<string> =>
    existsSync(directory)
      ? readdirSync(directory)
          .filter((name) => name.endsWith(EXTENSION))
          .map((name) => name.slice(0, -EXTENSION.length))
          .filter(SessionId.is)
      : []

  return {
    create: Effect.fnUntraced(function* (sessionId, cwd) {
      yield* attempt(directory, () => mkdirSync(directory, { recursive: true, mode: 0o700 }))
      yield* lock(sessionId)
      return yield* Effect.onError(begin(sessionId, cwd), () => unlock(sessionId))
    }, Effect.uninterruptible),

    open: Effect.fnUntraced(function* (sessionId, cwd) {
      if (!existsSync(fileOf(sessionId))) return yield* new SessionStore.SessionUnknown({ sessionId })
      yield* lock(sessionId)
      return yield* Effect.onError(read(sessionId, cwd), () => unlock(sessionId))
    }, Effect.uninterruptible),

    remove: Effect.fnUntraced(function* (sessionId) {
      if (!existsSync(fileOf(sessionId))) return
      yield* lock(sessionId)
      const path = fileOf(sessionId)
      yield* Effect.ensuring(
        attempt(path, () => rmSync(path, { force: true })),
        unlock(sessionId)
      )
    }, Effect.uninterruptible),

    list: ({ accepts, cursor }) =>
      attempt(directory, () => SessionStore.page(sessionIds(), infoOf, { accepts, cursor }))
  }
}
