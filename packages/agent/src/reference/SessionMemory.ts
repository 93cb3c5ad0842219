/** Sessions in memory: a store that forgets with the process. What AgentApp uses when it is given no other. */
import { Wording } from "@acp-client-tools/protocol"
import { Effect } from "effect"
import * as SessionEntry from "./SessionEntry.ts"
import * as SessionStore from "./SessionStore.ts"

interface Kept {
  readonly cwd: string
  readonly entries: Array<SessionEntry.SessionEntry>
  isOpen: boolean
}

const logOf = (session: Kept): SessionStore.SessionLog => {
  session.isOpen = true
  return {
    append: (entries) => Effect.sync(() => void session.entries.push(...entries)),
    close: Effect.sync(() => {
      session.isOpen = false
    })
  }
}

const inUse = (sessionId: string) => new SessionStore.SessionInUse({ message: Wording.sessionOpen(sessionId) })

export const make = (): SessionStore.SessionStore => {
  const kept = new Map<string, Kept>()

  const infoOf = (sessionId: string): SessionStore.SessionInfo | undefined => {
    const session = kept.get(sessionId)
    if (session === undefined) return undefined
    const title = SessionEntry.titleAmong(session.entries)
    return { sessionId, cwd: session.cwd, ...(title === undefined ? {} : { title }) }
  }

  return {
    create: Effect.fnUntraced(function* (sessionId, cwd) {
      if (kept.has(sessionId)) return yield* inUse(sessionId)
      const session: Kept = { cwd, entries: [], isOpen: true }
      kept.set(sessionId, session)
      return logOf(session)
    }),
    open: Effect.fnUntraced(function* (sessionId) {
      const session = kept.get(sessionId)
      if (session === undefined) return yield* new SessionStore.SessionUnknown({ sessionId })
      if (session.isOpen) return yield* inUse(sessionId)
      return { log: logOf(session), entries: [...session.entries] }
    }),
    remove: Effect.fnUntraced(function* (sessionId) {
      if (kept.get(sessionId)?.isOpen === true) return yield* inUse(sessionId)
      kept.delete(sessionId)
    }),
    list: (query) => Effect.suspend(() => SessionStore.page([...kept.keys()], infoOf, query))
  }
}
