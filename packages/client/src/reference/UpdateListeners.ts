/** Who hears the updates of which session, beside the one handler of all. Kept by Connection for sessions' streams. */
import type { Update } from "./UpdateStream.ts"

export interface UpdateListeners {
  readonly tell: (update: Update) => void
  /** Hears the session's updates, until the returned function is called. */
  readonly listen: (sessionId: string, listener: (update: Update) => void) => () => void
}

export const make = (): UpdateListeners => {
  const bySession = new Map<string, Set<(update: Update) => void>>()
  return {
    tell: (update) => bySession.get(update.sessionId)?.forEach((listener) => listener(update)),
    listen: (sessionId, listener) => {
      const ofSession = bySession.get(sessionId) ?? new Set()
      bySession.set(sessionId, ofSession.add(listener))
      return () => {
        ofSession.delete(listener)
        if (ofSession.size === 0) bySession.delete(sessionId)
      }
    }
  }
}
