/**
 * What a client offers: one set of tools to every session, or to each session its own. Made once for a connection; asked by
 * RequestHandler, announced in `initialize`.
 */
import { type Discovery, Identifiers, type JsonObject } from "@acp-client-tools/protocol"
import type { Effect } from "effect"
import * as Settle from "./Settle.ts"
import * as Toolkit from "./Toolkit.ts"

/** A session as the agent names it when it asks for the session's tools (REQ-2). */
export interface Session {
  readonly sessionId: string
  /** The session's working directory, an absolute path. */
  readonly cwd: string
}

/** The tools of one session; asked again whenever the session is opened again. */
export type ToolsOf = (
  session: Session,
  signal: AbortSignal
) => Effect.Effect<Toolkit.Toolkit, unknown> | Promise<Toolkit.Toolkit> | Toolkit.Toolkit

export interface ToolOffer {
  /**
   * What to put into `clientCapabilities._meta` of `initialize`: the list in mode `meta`, `true` in mode `request` (META-1,
   * REQ-1). A client without tools says nothing.
   */
  readonly capabilityMeta: JsonObject
  /** The tools for an agent that asks; `undefined` from a client without any. Rejects as the function for it fails. */
  readonly list: (session: Session, signal: AbortSignal) => Promise<Toolkit.Toolkit> | undefined
  /** The tool behind a method in a session; `undefined` where it was not offered there (CLIENT-5). */
  readonly find: (method: string, sessionId: string) => Promise<Toolkit.Entry | undefined>
  /** Whether the method is a tool's in any session. */
  readonly isTool: (method: string) => boolean
  /** Drops what was listed for a session that is over. */
  readonly forget: (sessionId: string) => void
}

const capability = (value: unknown): JsonObject => ({ [Identifiers.TOOLS_META_KEY]: value })

/** The same tools for every session. `meta` serves agents of both kinds that accept it (CLIENT-10). */
export const make = (toolkit: Toolkit.Toolkit, discovery: Discovery.Mode = "meta"): ToolOffer => {
  const isEmpty = toolkit.descriptions.length === 0
  return {
    capabilityMeta: isEmpty ? {} : capability(discovery === "meta" ? toolkit.descriptions : true),
    list: () => (isEmpty ? undefined : Promise.resolve(toolkit)),
    find: (method) => Promise.resolve(toolkit.byMethod.get(method)),
    isTool: (method) => toolkit.byMethod.has(method),
    forget: () => undefined
  }
}

/** No tools at all; legal, and offered to nobody. */
export const none: ToolOffer = make(Toolkit.empty)

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined)
    signal.addEventListener("abort", () => resolve(undefined), { once: true })
  })

/**
 * For each session the tools that a function has for it, in mode `request` alone: mode `meta` sends its list before there is
 * a session. A call is answered by the tools its session was last given; a session that never asked has none.
 */
export const perSession = (toolsOf: ToolsOf): ToolOffer => {
  interface Listed {
    /** The tools the agent was last given. */
    given?: Toolkit.Toolkit
    /** Those being made, for calls that come before any were given. */
    making: Promise<Toolkit.Toolkit | undefined>
  }
  const sessions = new Map<string, Listed>()
  return {
    capabilityMeta: capability(true),
    list: async (session, signal) => {
      const made = Promise.resolve()
        .then(() => toolsOf(session, signal))
        .then((tools) => Settle.settle(tools, signal))
      const making = Promise.race([made.catch(() => undefined), aborted(signal)])
      const listed = sessions.get(session.sessionId) ?? { making }
      listed.making = making
      sessions.set(session.sessionId, listed)
      const tools = await made
      if (!signal.aborted) listed.given = tools
      return tools
    },
    find: async (method, sessionId) => {
      const listed = sessions.get(sessionId)
      return (listed?.given ?? (await listed?.making))?.byMethod.get(method)
    },
    isTool: (method) => [...sessions.values()].some(({ given }) => given?.byMethod.has(method)),
    forget: (sessionId) => {
      sessions.delete(sessionId)
    }
  }
}
