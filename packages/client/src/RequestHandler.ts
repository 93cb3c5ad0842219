/**
 * The answers of a client to extension requests: its tool list, its tools' calls. Given to a `client()` app of the ACP SDK by
 * `offer`, or called from a fallback handler of one's own.
 */
import { type AgentApp, type ClientApp, RequestError, type Stream } from "@agentclientprotocol/sdk"
import { CallParams, Identifiers, ListTools, Wording } from "@acp-client-tools/protocol"
import * as Announcement from "./Announcement.ts"
import * as Cancellable from "./Cancellable.ts"
import * as ClientTool from "./ClientTool.ts"
import type { Entry } from "./Toolkit.ts"
import type { Session, ToolOffer } from "./ToolOffer.ts"
import * as ToolResult from "./ToolResult.ts"
import * as ToolSchema from "./ToolSchema.ts"

/** The part of a request the handlers look at: a handler context of the ACP SDK has it. */
export interface Request {
  readonly method: string
  readonly params: unknown
  /** Aborted by `$/cancel_request` for this request, and when the connection closes. */
  readonly signal: AbortSignal
}

/** Decodes the arguments and runs the handler; rejects as either fails. */
const run = async (
  { execute, schema }: Entry,
  { arguments: args, sessionId }: CallParams.Received,
  signal: AbortSignal
) => {
  const decoded = schema === undefined ? { value: args } : await schema["~standard"].validate(args)
  if (decoded.issues !== undefined) return ToolResult.error(ToolSchema.faultsText(decoded.issues))
  signal.throwIfAborted()
  return ClientTool.settle(await execute(decoded.value, { sessionId, signal }), signal)
}

const call = async (offer: ToolOffer, received: CallParams.Received, { method, signal }: Request): Promise<unknown> => {
  const entry = await offer.find(method, received.sessionId)
  if (entry === undefined) throw RequestError.methodNotFound(method)
  return run(entry, received, signal).then(ToolResult.fromValue, ToolResult.fromFailure)
}

/** The tools of a session; what the function for them throws is the agent's to log. */
const listed = async (offer: ToolOffer, session: Session, { method, signal }: Request) => {
  try {
    const toolkit = await offer.list(session, signal)
    if (toolkit !== undefined) return { tools: toolkit.descriptions }
  } catch (cause) {
    const why = ToolResult.failureText(cause) ?? Wording.noReason
    throw new RequestError(Identifiers.INTERNAL_ERROR, Wording.toolsNotListed(why))
  }
  throw RequestError.methodNotFound(method)
}

/**
 * Answers a request for the tool list or a call; everything else is `-32601` (CLIENT-5). The list is answered in either
 * mode, for any session id (CLIENT-10, REQ-7).
 */
export const handle = async (offer: ToolOffer, request: Request): Promise<unknown> => {
  const { method, params, signal } = request
  if (method === Identifiers.LIST_METHOD) {
    const session = ListTools.decodeParams(params)
    if (session === undefined) throw new RequestError(-32602, Wording.listParams)
    return Cancellable.run(signal, () => listed(offer, session, request))
  }
  const received = CallParams.decode(params)
  if (received !== undefined) return Cancellable.run(signal, () => call(offer, received, request))
  throw offer.isTool(method)
    ? new RequestError(-32602, Wording.callWithoutSession)
    : RequestError.methodNotFound(method)
}

/** Adds the answers alone to a `client()` app of the ACP SDK, as its fallback handler. */
export const addTo = (app: ClientApp, offer: ToolOffer): ClientApp =>
  app.onRequest("*", (request) => handle(offer, request))

/**
 * Offers the tools on a `client()` app of the ACP SDK: the answers become its fallback handler, and the `initialize` that it
 * sends over a stream connected from now on carries the offer. An app that has a fallback of its own calls `handle` from it,
 * and puts `capabilityMeta` of the offer into `clientCapabilities._meta`.
 */
export const offer = (app: ClientApp, tools: ToolOffer): ClientApp => {
  const connect = app.connect.bind(app)
  const connectWith = app.connectWith.bind(app)
  const announced = (target: Stream | AgentApp): Stream =>
    Announcement.over("readable" in target ? target : Announcement.toApp(target), tools.capabilityMeta)
  return Object.assign(addTo(app, tools), {
    connect: (target: Stream | AgentApp) => connect(announced(target)),
    connectWith: <A>(target: Stream | AgentApp, work: Parameters<typeof connectWith<A>>[1]) =>
      connectWith(announced(target), work)
  })
}
