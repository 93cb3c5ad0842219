/**
 * Where sessions are kept. Sessions opens them in it. SessionMemory keeps them until the process ends, SessionFiles on disk;
 * others may keep them wherever they like. Its effects settle soon: while one runs, the session waits for it.
 */
import { Wording } from "@acp-client-tools/protocol"
import { Effect, Schema } from "effect"
import type { SessionEntry } from "./SessionEntry.ts"
import * as SessionId from "./SessionId.ts"

/** There is no session of that id. */
export class SessionUnknown extends Schema.TaggedError<SessionUnknown>()("SessionUnknown", {
  sessionId: Schema.String
}) {
  override get message(): string {
    return Wording.sessionUnknown(this.sessionId)
  }
}

/** The session is open elsewhere. The message says where, and what to do. */
export class SessionInUse extends Schema.TaggedError<SessionInUse>()("SessionInUse", { message: Schema.String }) {}

/** The store itself cannot do it. The message is for the user. */
export class StoreFailed extends Schema.TaggedError<StoreFailed>()("StoreFailed", { message: Schema.String }) {}

/** There is no page that begins there. */
export class CursorUnknown extends Schema.TaggedError<CursorUnknown>()("CursorUnknown", {}) {
  override get message(): string {
    return Wording.unknownCursor
  }
}

/** The kept entries of one open session; nobody else has the session while it is open. */
export interface SessionLog {
  /** Keeps further entries, all of them or, where it fails, none: they come again then. Called once at a time. */
  readonly append: (entries: ReadonlyArray<SessionEntry>) => Effect.Effect<void, StoreFailed>
  /** Lets go of the session, so that others can open it. */
  readonly close: Effect.Effect<void>
}

/** A session that was opened again. */
export interface Reopened {
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

/** Which sessions are wanted: those with a title, as nothing was said in the others. */
export interface Query {
  /** Only those of this working directory. */
  readonly cwd: string | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor: string | undefined
  /** These too, even where they have no title. */
  readonly untitled: ReadonlySet<string>
}

/** Some of the sessions, the last made first. */
export interface Page {
  readonly sessions: Array<SessionInfo>
  /** Where the next page begins; absent on the last. */
  readonly nextCursor?: string
}

export interface SessionStore {
  /** Begins a session, and opens it. Fails when there is one of that id. */
  readonly create: (sessionId: string, cwd: string) => Effect.Effect<SessionLog, SessionInUse | StoreFailed>
  /** Opens a session again; `cwd` is for one whose own was lost. */
  readonly open: (
    sessionId: string,
    cwd: string
  ) => Effect.Effect<Reopened, SessionUnknown | SessionInUse | StoreFailed>
  /** Forgets a session that is not open. One that is unknown is forgotten already. */
  readonly remove: (sessionId: string) => Effect.Effect<void, SessionInUse | StoreFailed>
  readonly list: (query: Query) => Effect.Effect<Page, CursorUnknown | StoreFailed>
}

const PAGE_SIZE = 100

/**
 * The page a query asks for, of ids that sort by age. For stores that have no better way: no more sessions are looked at
 * than it takes.
 */
export const page = (
  sessionIds: ReadonlyArray<string>,
  infoOf: (sessionId: string) => SessionInfo | undefined,
  { cursor, cwd, untitled }: Query
): Effect.Effect<Page, CursorUnknown> => {
  if (cursor !== undefined && !SessionId.is(cursor)) return Effect.fail(new CursorUnknown())
  const sessions: Array<SessionInfo> = []
  for (const sessionId of sessionIds.toSorted().toReversed()) {
    if (cursor !== undefined && sessionId >= cursor) continue
    const info = infoOf(sessionId)
    if (info === undefined || (info.title === undefined && !untitled.has(sessionId))) continue
    if (cwd !== undefined && info.cwd !== cwd) continue
    const last = sessions.at(-1)
    if (last !== undefined && sessions.length === PAGE_SIZE)
      return Effect.succeed({ sessions, nextCursor: last.sessionId })
    sessions.push(info)
  }
  return Effect.succeed({ sessions })
}
