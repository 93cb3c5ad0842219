/**
 * Sessions on disk: a directory with a file for each, and a lock beside it while it is open (SESS-1). The store of the
 * command. An idle session costs nothing.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { SystemError, Wording } from "@acp-client-tools/protocol"
import { Effect } from "effect"
import * as SessionId from "../reference/SessionId.ts"
import * as SessionStore from "../reference/SessionStore.ts"
import type { AgentFile } from "./AgentFile.ts"
import * as ProcessIdentity from "./ProcessIdentity.ts"
import * as SessionFile from "./SessionFile.ts"
import * as SessionLock from "./SessionLock.ts"

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

/** Makes a directory, and those above it. Node's own way does not end where the system takes none: in `/proc`. */
const makeDirectory = (path: string): void => {
  if (existsSync(path)) return
  if (dirname(path) !== path) makeDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Work on a file; `inWords` says what could not be done, and why. */
const attempt = <A>(
  path: string,
  inWords: (file: string, why: string) => string,
  work: (path: string) => A
): Effect.Effect<A, SessionStore.StoreFailed> =>
  Effect.try({
    try: () => work(path),
    catch: (cause) => new SessionStore.StoreFailed({ message: inWords(path, SystemError.reason(cause)) })
  })

const EXTENSION = ".jsonl"

/** How long a session is kept that nobody ever said anything in, in ms: a day. */
const MAX_SILENCE = 86_400_000

/** How many silent sessions one list forgets at most: each takes a lock. */
const MAX_FORGOTTEN = 100

/** The store in a directory, which is made with its first session. `mask` hides what may stand in no file (CLI-6). */
export const make = (directory: string, mask = (text: string): string => text): SessionStore.SessionStore => {
  const fileOf = (sessionId: string) => join(directory, `${sessionId}${EXTENSION}`)
  const lockOf = (sessionId: string) => join(directory, `${sessionId}.lock`)

  const lock = Effect.fnUntraced(function* (sessionId: string) {
    const path = lockOf(sessionId)
    const owner = yield* attempt(path, Wording.sessionNotWritten, SessionLock.acquire)
    if (owner === undefined) return
    const message = ProcessIdentity.isHere(owner)
      ? Wording.sessionOpenElsewhere(sessionId, owner.pid)
      : Wording.sessionOpenOnHost(sessionId, owner.host, path)
    return yield* new SessionStore.SessionInUse({ message })
  })
  const unlock = (sessionId: string) =>
    Effect.ignore(attempt(lockOf(sessionId), Wording.sessionNotWritten, SessionLock.release))

  /** The log of a file whose last line may be torn: what follows then begins on a line of its own. */
  const logOf = (sessionId: string, isTorn: boolean): SessionStore.SessionLog => {
    let before = isTorn ? "\n" : ""
    return {
      append: (entries) =>
        attempt(fileOf(sessionId), Wording.sessionNotWritten, (path) => {
          SessionFile.append(path, before + entries.map((entry) => SessionFile.lineOf(entry, mask)).join(""))
          before = ""
        }),
      close: unlock(sessionId)
    }
  }

  const begin = (sessionId: string, cwd: string) =>
    attempt(fileOf(sessionId), Wording.sessionNotWritten, (path) => {
      SessionFile.create(path, cwd)
      return logOf(sessionId, false)
    })

  const read = Effect.fnUntraced(function* (sessionId: string, cwd: string) {
    const path = fileOf(sessionId)
    // Whoever had it open until now may have deleted it.
    if (!existsSync(path)) return yield* new SessionStore.SessionUnknown({ sessionId })
    const { entries, header, isTorn } = yield* attempt(path, Wording.sessionNotRead, SessionFile.read)
    if (header !== undefined && header.version > SessionFile.VERSION) {
      const message = Wording.sessionFromFuture(sessionId, header.version, SessionFile.VERSION)
      return yield* new SessionStore.StoreFailed({ message })
    }
    if (header !== undefined) return { log: logOf(sessionId, isTorn), entries }
    const lost = `${isTorn ? "\n" : ""}${SessionFile.headerLine(cwd)}`
    yield* attempt(path, Wording.sessionNotWritten, (file) => SessionFile.append(file, lost))
    return { log: logOf(sessionId, false), entries }
  })

  /** Deletes a session nobody ever said anything in, if nobody has it open: clients open many that they never use. */
  const forget = (sessionId: string): void => {
    if (SessionLock.acquire(lockOf(sessionId)) !== undefined) return
    try {
      // Somebody may have had it open until now, and said something.
      if (SessionFile.readHead(fileOf(sessionId)).isSilent) rmSync(fileOf(sessionId), { force: true })
    } finally {
      SessionLock.release(lockOf(sessionId))
    }
  }

  const infoOf = (sessionId: string, onSilent: (sessionId: string) => void): SessionStore.SessionInfo | undefined => {
    try {
      const { header, isSilent, modified, title } = SessionFile.readHead(fileOf(sessionId))
      if (isSilent && Date.now() - modified.getTime() > MAX_SILENCE) onSilent(sessionId)
      if (header === undefined) return undefined
      const info = { sessionId, cwd: header.cwd, updatedAt: modified.toISOString() }
      return title === undefined ? info : { ...info, title }
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
      yield* attempt(directory, Wording.sessionNotWritten, makeDirectory)
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
      yield* Effect.ensuring(
        attempt(fileOf(sessionId), Wording.sessionNotWritten, (path) => rmSync(path, { force: true })),
        unlock(sessionId)
      )
    }, Effect.uninterruptible),

    list: Effect.fnUntraced(function* (query) {
      const ids = yield* attempt(directory, Wording.sessionNotRead, sessionIds)
      let forgotten = 0
      const onSilent = (sessionId: string): void => {
        if (forgotten++ < MAX_FORGOTTEN) forget(sessionId)
      }
      return yield* SessionStore.page(ids, (sessionId) => infoOf(sessionId, onSilent), query)
    })
  }
}
