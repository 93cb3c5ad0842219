/** The params of a tool call [Request]. Made by agents, read by clients. */
import { SESSION_ID_META_KEY } from "./Identifiers.ts"
import * as Json from "./Json.ts"
import type { JsonObject } from "./Json.ts"

/**
 * The arguments at the top level, and a `_meta` of ours that replaces any the model put there (CALL-2, CALL-3). Keys such
 * as `__proto__` are ordinary keys.
 */
export const make = (args: JsonObject, sessionId: string): JsonObject => ({
  ...args,
  _meta: { [SESSION_ID_META_KEY]: sessionId }
})

/** What a client finds in the params: the arguments without `_meta`, and the session. */
export interface Received {
  readonly arguments: JsonObject
  readonly sessionId: string
}

/** Reads the params of a call; `undefined` when `_meta` carries no session id that is a string (CLIENT-2). */
export const decode = (params: unknown): Received | undefined => {
  if (!Json.isObject(params)) return undefined
  const { _meta: meta, ...args } = params
  const sessionId = Json.get(meta, SESSION_ID_META_KEY)
  return typeof sessionId === "string" ? { arguments: args, sessionId } : undefined
}
