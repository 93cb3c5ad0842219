/** Where sessions are kept. Sessions opens them in it; SessionFiles keeps them on disk, `inMemory` until the process ends. */
import { Wording } from "@acp-client-tools/protocol"
import { Effect, Schema } from "effect"
import type { SessionEntry } from "./SessionEntry.ts"

/** There is no session of that id. */
export class SessionUnknown extends Schema.TaggedError<SessionUnknown>()("SessionUnknown", {
  sessionId: Schema.String
}) {
  override get message(): string {
    return Wording.sessionUnknown(this.sessionId)
  }
}

/** Why a session cannot be had. The message is for the user. */
export class StoreFault extends Schema.TaggedError<StoreFault>()("StoreFault", {
  /** `inUse`: it is open elsewhere. `failed`: the store itself cannot. */
  reason: Schema.Literals(["inUse", "failed"]),
  message: Schema.String
}) {}

/** The kept entries of one open session; nobody else has the session while it is open. */
export interface SessionLog {
  /** Keeps one more entry. One that cannot be written is tried again with the next. */
  readonly append: (entry: SessionEntry) => Effect.Effect<void, StoreFault>
  /** Lets go of the session, so that others can open it. */
  readonly close: Effect.Effect<void>
}

/** A session that was opened again. */
export interface Opened {
  readonly log: SessionLog
  readonly entries: ReadonlyArray<SessionEntry>
}

/** What a list says of a session. */
export interface SessionInfo {
  readonly sessionId: string
  readonly cwd: string
  /** Absent until the first prompt. */
  readonly title?: string
  /** ISO 8601. */
  readonly updatedAt?: string
}

/** Some of the sessions, the last made first. */
export interface Page {
  readonly sessions: Array<SessionInfo>
  /** Where the next page begins; absent on the last. */
  readonly nextCursor?: string
}

/** The title among a session's entries, as a part of its info. */
export const titleOf = (entries: ReadonlyArray<SessionEntry>): Pick<SessionInfo, "title"> => {
  const title = entries.findLast((entry) => entry.type === "title")
  return title === undefined ? {} : { title: title.title }
}

/** Which sessions are wanted. */
export interface Query {
  readonly accepts: (info: SessionInfo) => boolean
  /** A page's `nextCursor`. */
  readonly cursor: string | undefined
}

export interface SessionStore {
  /** Begins a session, and opens it. Fails when there is one of that id. */
  readonly create: (sessionId: string, cwd: string) => Effect.Effect<SessionLog, StoreFault>
  /** Opens a session again; `cwd` is for one whose own was lost. */
  readonly open: (sessionId: string, cwd: string) => Effect.Effect<Opened, SessionUnknown | StoreFault>
  /** Forgets a session that is not open. One that is unknown is forgotten already. */
  readonly remove: (sessionId: string) => Effect.Effect<void, StoreFault>
  readonly list: (query: Query) => Effect.Effect<Page, StoreFault>
}

const PAGE_SIZE = 100

/** The page a query asks for. Ids sort by age; no more sessions are looked at than it takes. */
export const page = (
  sessionIds: ReadonlyArray<string>,
  infoOf: (sessionId: string) => SessionInfo | undefined,
  { accepts, cursor }: Query
): Page => {
  const sessions: Array<SessionInfo> = []
  for (const sessionId of sessionIds.toSorted().toReversed()) {
    if (cursor !== undefined && sessionId >= cursor) continue
    const info = infoOf(sessionId)
    if (info === undefined || !accepts(info)) continue
    const last = sessions.at(-1)
    if (last !== undefined && sessions.length === PAGE_SIZE) return { sessions, nextCursor: last.sessionId }
    sessions.push(info)
  }
  return { sessions }
}

const inUse = (sessionId: string) => new StoreFault({ reason: "inUse", message: Wording.sessionOpen(sessionId) })

/** A store that forgets with the process. */
export const inMemory = (): SessionStore => {
  interface Kept {
    readonly cwd: string
    readonly entries: Array<SessionEntry>
    isOpen: boolean
  }
  const kept = new Map<string, Kept>()

  const logOf = (session: Kept): SessionLog => {
    session.isOpen = true
    return {
      append: (entry) => Effect.sync(() => void session.entries.push(entry)),
      close: Effect.sync(() => {
        session.isOpen = false
      })
    }
  }
  const infoOf = (sessionId: string): SessionInfo | undefined => {
    const session = kept.get(sessionId)
    return session && { sessionId, cwd: session.cwd, ...titleOf(session.entries) }
  }

  return {
    create: (sessionId, cwd) =>
      Effect.suspend(() => {
        if (kept.has(sessionId)) return Effect.fail(inUse(sessionId))
        const session: Kept = { cwd, entries: [], isOpen: true }
        kept.set(sessionId, session)
        return Effect.succeed(logOf(session))
      }),
    open: (sessionId) =>
      Effect.suspend((): Effect.Effect<Opened, SessionUnknown | StoreFault> => {
        const session = kept.get(sessionId)
        if (session === undefined) return Effect.fail(new SessionUnknown({ sessionId }))
        if (session.isOpen) return Effect.fail(inUse(sessionId))
        return Effect.succeed({ log: logOf(session), entries: [...session.entries] })
      }),
    remove: (sessionId) =>
      Effect.suspend(() => {
        if (kept.get(sessionId)?.isOpen === true) return Effect.fail(inUse(sessionId))
        kept.delete(sessionId)
        return Effect.void
      }),
    list: (query) => Effect.sync(() => page([...kept.keys()], infoOf, query))
  }
}
