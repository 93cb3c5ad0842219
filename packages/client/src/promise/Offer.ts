/** Tools defined and offered with promises, on a client of one's own. */
import type { ClientApp } from "@agentclientprotocol/sdk"
import { type JsonObject, Wording } from "@acp-client-tools/protocol"
import { Result } from "effect"
import * as ClientTool from "../ClientTool.ts"
import * as RequestHandler from "../RequestHandler.ts"
import type { CallContext, Description, ToolDefinition } from "../ToolDefinition.ts"
import * as Toolkit from "../Toolkit.ts"
import * as ToolOffer from "../ToolOffer.ts"
import type { Arguments, ToolSchema } from "../ToolSchema.ts"

/** A definition whose `execute` gives a promise or a value, for arguments as the schema decodes them. */
export interface Definition<S extends ToolSchema> extends Description {
  /**
   * The arguments: a schema with the Standard JSON Schema interface (Zod 4, ArkType, Valibot with its adapter), an Effect
   * schema, or raw JSON Schema. Absent: the tool takes none, and nothing is checked.
   */
  readonly inputSchema?: S | undefined
  /**
   * Runs a call. Gives a value or a promise of one: a string, any JSON value, or `content(…)`. What it throws is what the
   * model reads, as a failed call.
   */
  readonly execute: (args: Arguments<S>, context: CallContext) => unknown
}

/**
 * A tool whose arguments are typed by its schema. Throws a TypeError for a definition that an agent would skip, or whose
 * schema cannot be compiled (CLIENT-1, CLIENT-3).
 */
export const defineTool = <const S extends ToolSchema = JsonObject>(definition: Definition<S>): ToolDefinition =>
  ClientTool.make(definition)

/** The tools of a client: one set for all sessions, or a function of the session, for mode `request`. */
export type Tools =
  | ReadonlyArray<ToolDefinition>
  | ((session: ToolOffer.Session) => ReadonlyArray<ToolDefinition> | Promise<ReadonlyArray<ToolDefinition>>)

/** Tools ready to be offered. */
export interface Offer {
  /** What belongs into `clientCapabilities._meta` of `initialize`; `addTo` puts it there. */
  readonly capabilityMeta: JsonObject
  /** Answers an extension request; for a fallback handler of one's own. Rejects with `-32601` for what is not a tool. */
  readonly handle: (request: RequestHandler.Request) => Promise<unknown>
  /**
   * Offers the tools on a `client()` app of the ACP SDK: answers calls as its fallback handler, and adds the offer to the
   * `initialize` it sends over a stream connected from now on.
   */
  readonly addTo: (app: ClientApp) => ClientApp
  /** Drops what was listed for a session that is over; needed for tools that differ by session, in a client that lives long. */
  readonly forget: (sessionId: string) => void
}

export interface OfferOptions extends Toolkit.Options {
  /**
   * `meta` sends the list in `initialize`, `request` answers the agent's question for it. Tools that differ by session go by
   * `request`; `meta` is the default for others.
   */
  readonly discovery?: "meta" | "request" | undefined
}

const toolkit = (definitions: ReadonlyArray<ToolDefinition>, options: Toolkit.Options): Toolkit.Toolkit => {
  if (!Array.isArray(definitions)) throw new TypeError(Wording.toolsNotArray)
  const made = Toolkit.make(definitions, options)
  if (Result.isFailure(made)) throw new TypeError(made.failure.message)
  return made.success
}

/** The offer of the tools; throws a TypeError with everything that is wrong with it. */
export const toolOffer = (tools: Tools, { discovery, ...options }: OfferOptions): ToolOffer.ToolOffer => {
  if (discovery !== undefined && discovery !== "meta" && discovery !== "request") {
    throw new TypeError(Wording.discoveryUnknown)
  }
  if (typeof tools !== "function") return ToolOffer.make(toolkit(tools, options), discovery)
  if (discovery === "meta") throw new TypeError(Wording.toolsOfSessionInMeta)
  return ToolOffer.perSession(async (session) => toolkit(await tools(session), options))
}

/** Checks a set of tools; throws a TypeError with everything that is wrong in it. */
export const offerTools = (tools: Tools, options: OfferOptions = {}): Offer => {
  const offer = toolOffer(tools, options)
  return {
    capabilityMeta: offer.capabilityMeta,
    handle: (request) => RequestHandler.handle(offer, request),
    addTo: (app) => RequestHandler.offer(app, offer),
    forget: offer.forget
  }
}
