/** The request `_org.mini-me/tools/list` [Mode request]. Sent by agents, answered by clients. */
import { Option, Schema } from "effect"
import * as Json from "./Json.ts"

/** Its params: the session being opened, whose id the client has not seen yet, and its working directory (REQ-2). */
export const Params = Schema.Struct({
  sessionId: Schema.String,
  /** Byte for byte as the client sent it. */
  cwd: Schema.String
})
export type Params = typeof Params.Type

/** The params a client received, or `undefined` when they are not these. */
export const decodeParams = (params: unknown): Params | undefined =>
  Option.getOrUndefined(Schema.decodeUnknownOption(Params)(params))

/** The entries of an answer, not yet validated; `undefined` when it has no `tools` array (REQ-4). */
export const decodeResult = (result: unknown): ReadonlyArray<unknown> | undefined => {
  const tools = Json.get(result, "tools")
  return Array.isArray(tools) ? tools : undefined
}
