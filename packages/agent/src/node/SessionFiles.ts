/**
 * Sessions on disk: for each an append-only file of JSON lines, a header and then its entries (SESS-1, SESS-2). The store of
 * the command. A file is opened for as long as one write takes, so an idle session costs nothing.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { homedir } from "node:os"
import { dirname, isAbsolute, join, resolve } from "node:path"
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

const asHeader = (line: unknown): Header | undefined => {
  const [version, cwd] = [Json.get(line, "version"), Json.get(line, "cwd")]
  if (Json.get(line, "format") !== FORMAT || typeof version !== "number" || typeof cwd !== "string") return undefined
  return { version, cwd }
}

/** The first one that is whole: one that was lost is added later. */
const headerOf = (lines: ReadonlyArray<unknown>): Header | undefined =>
  lines.map(asHeader).find((header) => header !== undefined)

const entriesOf = (lines: ReadonlyArray<unknown>): ReadonlyArray<SessionEntry.SessionEntry> =>
  lines.flatMap((line) => SessionEntry.decode(line) ?? [])

/** Holds a file's header and its title, which stands before the first prompt. */
const HEAD_BYTES = 16_384

/** Opening what is no file, a pipe for one, might wait for ever. */
const checkFile = (path: string): void => {
  if (!statSync(path).isFile()) throw new Error(Wording.notAFile)
}

/** The beginning of a session's file. */
interface Head {
  readonly lines: ReadonlyArray<unknown>
  /** There is a header, and nothing behind it. */
  readonly isSilent: boolean
  /** When it was written last. */
  readonly modified: Date
}

const readHead = (path: string): Head => {
  checkFile(path)
  const file = openSync(path, "r")
  try {
    const bytes = Buffer.alloc(HEAD_BYTES)
    const text = bytes.toString("utf8", 0, readSync(file, bytes, 0, HEAD_BYTES, 0))
    const lines = jsonLines(text)
    const isSilent = headerOf(lines) !== undefined && !text.trimEnd().includes("\n")
    return { lines, isSilent, modified: fstatSync(file).mtime }
  } finally {
    closeSync(file)
  }
}

/** Makes a directory, and those above it. Node's own way does not end where the system takes none: in `/proc`. */
const makeDirectory = (path: string): void => {
  if (existsSync(path)) return
  if (dirname(path) !== path) makeDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Adds to a file, everything or nothing: what was written of it when the disk was full is taken back. */
const append = (path: string, text: string): void => {
  const file = openSync(path, "a", 0o600)
  try {
    const { size } = fstatSync(file)
    try {
      writeFileSync(file, text)
    } catch (cause) {
      ftruncateSync(file, size)
      throw cause
    }
  } finally {
    closeSync(file)
  }
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

/** Values that are ours, and mean what they say. */
const ours: ReadonlySet<string> = new Set(["type", "kind"])

/** Values of somebody else's shape, in which a key or a number may be a secret as well. */
const foreign: ReadonlySet<string> = new Set(["rawInput", "_meta"])

/** Hides secrets while an entry is written, and leaves it an entry. */
const maskedWith =
  (mask: (text: string) => string) =>
  (key: string, value: unknown): unknown => {
    if (typeof value === "string") return ours.has(key) ? value : mask(value)
    if (!foreign.has(key)) return value
    const text = Json.stringify(value) ?? ""
    const masked = mask(text)
    return masked === text ? value : (Json.parse(masked)?.value ?? mask(text))
  }

/** How many silent sessions one list forgets at most: each takes a lock. */
const MAX_FORGOTTEN = 100

/** The store in a directory, which is made with its first session. `mask` hides what may stand in no file (CLI-6). */
export const make = (directory: string, mask = (text: string): string => text): SessionStore.SessionStore => {
  const lineOf = (entry: SessionEntry.SessionEntry): string => `${JSON.stringify(entry, maskedWith(mask))}\n`
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
          append(path, before + entries.map(lineOf).join(""))
          before = ""
        }),
      close: unlock(sessionId)
    }
  }

  const begin = (sessionId: string, cwd: string) =>
    attempt(fileOf(sessionId), Wording.sessionNotWritten, (path) => {
      writeFileSync(path, headerLine(cwd), { mode: 0o600, flag: "wx" })
      return logOf(sessionId, false)
    })

  const read = Effect.fnUntraced(function* (sessionId: string, cwd: string) {
    const path = fileOf(sessionId)
    // Whoever had it open until now may have deleted it.
    if (!existsSync(path)) return yield* new SessionStore.SessionUnknown({ sessionId })
    const text = yield* attempt(path, Wording.sessionNotRead, (file) => {
      checkFile(file)
      return readFileSync(file, "utf8")
    })
    const lines = jsonLines(text)
    const header = headerOf(lines)
    if (header !== undefined && header.version > VERSION) {
      const message = Wording.sessionFromFuture(sessionId, header.version, VERSION)
      return yield* new SessionStore.StoreFailed({ message })
    }
    const isTorn = text !== "" && !text.endsWith("\n")
    if (header !== undefined) return { log: logOf(sessionId, isTorn), entries: entriesOf(lines) }
    const lost = `${isTorn ? "\n" : ""}${headerLine(cwd)}`
    yield* attempt(path, Wording.sessionNotWritten, (file) => append(file, lost))
    return { log: logOf(sessionId, false), entries: entriesOf(lines) }
  })

  /** Deletes a session nobody ever said anything in, if nobody has it open: clients open many that they never use. */
  const forget = (sessionId: string): void => {
    if (SessionLock.acquire(lockOf(sessionId)) !== undefined) return
    try {
      // Somebody may have had it open until now, and said something.
      if (readHead(fileOf(sessionId)).isSilent) rmSync(fileOf(sessionId), { force: true })
    } finally {
      SessionLock.release(lockOf(sessionId))
    }
  }

  const infoOf = (sessionId: string, onSilent: (sessionId: string) => void): SessionStore.SessionInfo | undefined => {
    try {
      const { isSilent, lines, modified } = readHead(fileOf(sessionId))
      if (isSilent && Date.now() - modified.getTime() > MAX_SILENCE) onSilent(sessionId)
      const header = headerOf(lines)
      const title = SessionEntry.titleAmong(entriesOf(lines))
      return (
        header && {
          sessionId,
          cwd: header.cwd,
          updatedAt: modified.toISOString(),
          ...(title === undefined ? {} : { title })
        }
      )
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
