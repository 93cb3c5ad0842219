/**
 * What the sessions of a connection are busy with: one piece of work each, a prompt turn, an opening or a closing. Kept by
 * Sessions; a second piece is refused or, where it is a closing, ends the first (TURN-2, REQ-8, SESS-3).
 */
import { Wording } from "@acp-client-tools/protocol"
import { Effect, type Exit, type Fiber } from "effect"
import * as AcpError from "./AcpError.ts"

export interface Work {
  readonly kind: "turn" | "opening" | "closing"
  readonly fiber: Fiber.Fiber<unknown, unknown>
}

const busy: Record<Work["kind"], string> = {
  turn: Wording.promptRunning,
  opening: Wording.sessionOpening,
  closing: Wording.sessionClosing
}

export interface SessionWork {
  /**
   * Runs work for a session, until the signal aborts where there is one. It is registered before anything is awaited:
   * whatever comes next finds it running.
   */
  readonly start: <A, E>(
    kind: Work["kind"],
    sessionId: string,
    effect: Effect.Effect<A, E>,
    signal?: AbortSignal
  ) => Promise<Exit.Exit<A, E>>
  readonly of: (sessionId: string) => Work | undefined
  /** Throws for a session that is busy. */
  readonly refuseBusy: (sessionId: string) => void
  readonly sessionIds: () => Iterable<string>
}

export const make = (): SessionWork => {
  const running = new Map<string, Work>()
  return {
    start: (kind, sessionId, effect, signal) => {
      const fiber = Effect.runFork(effect, signal === undefined ? {} : { signal })
      const work: Work = { kind, fiber }
      running.set(sessionId, work)
      return new Promise((resolve) => {
        fiber.addObserver((exit) => {
          if (running.get(sessionId) === work) running.delete(sessionId)
          resolve(exit)
        })
      })
    },
    of: (sessionId) => running.get(sessionId),
    refuseBusy: (sessionId) => {
      const work = running.get(sessionId)
      if (work !== undefined) throw AcpError.invalidRequest(busy[work.kind])
    },
    sessionIds: () => running.keys()
  }
}
