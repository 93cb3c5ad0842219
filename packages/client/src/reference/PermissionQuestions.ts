/**
 * The permission questions of a connection, by session: those open now, and whether new ones come too late. Kept by
 * Connection (CLIENT-6).
 */
import type { RequestPermissionRequest } from "@agentclientprotocol/sdk"
import type { PermissionPolicy } from "./PermissionPolicy.ts"

export interface PermissionQuestions {
  /** The policy's answer; none once the session was cancelled or the question withdrawn. */
  readonly ask: (
    policy: PermissionPolicy,
    request: RequestPermissionRequest,
    signal: AbortSignal
  ) => Promise<string | undefined>
  /** Ends the session's open questions, and those that cross the cancel on their way. */
  readonly cancel: (sessionId: string) => void
  /** A new turn may ask again. */
  readonly allow: (sessionId: string) => void
  /** Drops what is known of a session that is over; its open questions end. */
  readonly forget: (sessionId: string) => void
}

export const make = (): PermissionQuestions => {
  const open = new Map<string, Set<AbortController>>()
  const cancelled = new Set<string>()
  const end = (sessionId: string): void => open.get(sessionId)?.forEach((question) => question.abort())
  return {
    ask: async (policy, request, signal) => {
      if (cancelled.has(request.sessionId)) return undefined
      const stop = new AbortController()
      const ended = AbortSignal.any([stop.signal, signal])
      if (ended.aborted) return undefined
      const ofSession = open.get(request.sessionId) ?? new Set()
      open.set(request.sessionId, ofSession.add(stop))
      const withdrawn = new Promise<undefined>((resolve) => {
        ended.addEventListener("abort", () => resolve(undefined), { once: true })
      })
      try {
        return await Promise.race([withdrawn, policy(request, ended)])
      } finally {
        ofSession.delete(stop)
        if (ofSession.size === 0) open.delete(request.sessionId)
      }
    },
    cancel: (sessionId) => {
      cancelled.add(sessionId)
      end(sessionId)
    },
    allow: (sessionId) => {
      cancelled.delete(sessionId)
    },
    forget: (sessionId) => {
      end(sessionId)
      cancelled.delete(sessionId)
    }
  }
}
