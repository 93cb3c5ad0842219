/** How an agent learns of a client's tools, on data [Discovery]. Called by the agent's ClientTools. */
import { Schema } from "effect"
import { TOOLS_META_KEY } from "./Identifiers.ts"
import * as Json from "./Json.ts"
import * as ListTools from "./ListTools.ts"
import * as LogLine from "./LogLine.ts"
import * as RpcError from "./RpcError.ts"
import * as ToolSet from "./ToolSet.ts"
import * as Wording from "./Wording.ts"

/** The two modes; the agent's configuration names one (CFG-1) and the client follows. */
export const Mode = Schema.Literals(["meta", "request"])
export type Mode = typeof Mode.Type

/** What `clientCapabilities._meta` says about client tools. */
export type Advertisement =
  | { readonly kind: "list"; readonly entries: ReadonlyArray<unknown> }
  | { readonly kind: "advertised" }
  | { readonly kind: "absent" }
  | { readonly kind: "invalid" }

/** Reads the value under `org.mini-me/tools`: a list, `true`, nothing (also `null` and `false`), or something else. */
export const fromMeta = (meta: unknown): Advertisement => {
  const value = Json.get(meta, TOOLS_META_KEY)
  if (Array.isArray(value)) return { kind: "list", entries: value }
  if (value === true) return { kind: "advertised" }
  return value === undefined || value === null || value === false ? { kind: "absent" } : { kind: "invalid" }
}

/** The tools found and the lines to print about them, in order (LIST-6: nothing is printed here). */
export interface Discovered extends ToolSet.ToolSet {
  /** Why there is no list, where the client said there was one. */
  readonly problem?: string
  readonly lines: ReadonlyArray<string>
}

/** No tools and nothing to say (CFG-2, and a client that offers none). */
export const nothing: Discovered = { ...ToolSet.empty, lines: [] }

/** The tools of a connection in mode `meta` (META-1, META-2, LOG-1, LOG-3). */
export const fromAdvertisement = (advertisement: Advertisement, options?: ToolSet.Options): Discovered => {
  switch (advertisement.kind) {
    case "list": {
      const set = ToolSet.decode(advertisement.entries, options)
      return { ...set, lines: [...set.skipped.map(LogLine.skipped), LogLine.metaTools(set.tools)] }
    }
    case "advertised":
      return {
        ...nothing,
        problem: Wording.notAListButAdvertised,
        lines: [Wording.logNotAList(Wording.notAListButAdvertised)]
      }
    case "invalid":
      return { ...nothing, problem: Wording.notAList, lines: [Wording.logNotAList(Wording.notAList)] }
    case "absent":
      return nothing
  }
}

/**
 * The tools of a session in mode `meta`: those of its connection, but for names that other tools of this session have (LIST-5).
 * Only those are told of: the rest was printed after `initialize`.
 */
export const forSession = (
  advertisement: Advertisement,
  ofConnection: Discovered,
  options: { readonly reserved: ReadonlyArray<string> }
): Discovered => {
  const reserved = new Set(options.reserved)
  if (advertisement.kind !== "list" || !ofConnection.tools.some(({ modelName }) => reserved.has(modelName))) {
    return { ...ofConnection, lines: [] }
  }
  const told = new Set(ofConnection.skipped.map(({ index }) => index))
  const set = ToolSet.decode(advertisement.entries, options)
  return { ...set, lines: set.skipped.filter(({ index }) => !told.has(index)).map(LogLine.skipped) }
}

/** True when an agent in mode `request` asks this client for its tools: it said `true`, or sent a list (REQ-1). */
export const isAsked = (advertisement: Advertisement): boolean =>
  advertisement.kind === "advertised" || advertisement.kind === "list"

/** How an `_org.mini-me/tools/list` request ended. */
export type ListOutcome =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly error: RpcError.RpcError }
  | { readonly kind: "timeout"; readonly timeout: string }

/** The tools of a session in mode `request`: those of the answer, or none and one line that says why (REQ-3, REQ-4). */
export const fromListOutcome = (sessionId: string, outcome: ListOutcome, options?: ToolSet.Options): Discovered => {
  const failed = (problem: string): Discovered => ({
    ...nothing,
    problem,
    lines: [LogLine.listFailed(sessionId, problem)]
  })
  switch (outcome.kind) {
    case "result": {
      const entries = ListTools.decodeResult(outcome.result)
      if (entries === undefined) return failed(Wording.noToolsArray)
      const set = ToolSet.decode(entries, options)
      return { ...set, lines: [...set.skipped.map(LogLine.skipped), LogLine.sessionTools(sessionId, set.tools)] }
    }
    case "error":
      return failed(RpcError.toText(outcome.error))
    case "timeout":
      return failed(Wording.noAnswerWithin(outcome.timeout))
  }
}
