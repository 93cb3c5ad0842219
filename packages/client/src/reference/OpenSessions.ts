/**
 * The sessions that a connection has open, or is opening: whose questions are answered, and in which folders they may work.
 * Kept by Connection.
 */
import { Effect } from "effect"
import type { Folders } from "./Service.ts"

export interface OpenSessions {
  /** The folders of a session that is open. */
  readonly get: (sessionId: string) => Folders | undefined
  /** The folders in which requests in the name of a session may work; `undefined` for a session that is unknown here. */
  readonly foldersOf: (sessionId: string) => Folders | undefined
  readonly add: (sessionId: string, folders: Folders) => void
  readonly remove: (sessionId: string) => void
  /**
   * While a session is opened whose id its agent alone knows, requests in the name of an unknown session are for that one:
   * an agent may read files before it answers. With two of them at once it cannot be told which.
   */
  readonly opening: <A, E>(folders: Folders, work: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

export const make = (): OpenSessions => {
  const open = new Map<string, Folders>()
  const nameless = new Set<Folders>()
  return {
    get: (sessionId) => open.get(sessionId),
    foldersOf: (sessionId) => open.get(sessionId) ?? (nameless.size === 1 ? [...nameless][0] : undefined),
    add: (sessionId, folders) => {
      open.set(sessionId, folders)
    },
    remove: (sessionId) => {
      open.delete(sessionId)
    },
    opening: (folders, work) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const one = { ...folders }
          nameless.add(one)
          return one
        }),
        () => work,
        (one) => Effect.sync(() => nameless.delete(one))
      )
  }
}
