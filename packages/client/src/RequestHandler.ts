/**
 * The answers of a client to extension requests: its tool list, its tools' calls. Given to a `client()` app of the ACP SDK by
 * `offer`, or called from a fallback handler of one's own.
 */
import { type AgentApp, type ClientApp, RequestError, type Stream } from "@agentclientprotocol/sdk"
import { CallParams, Identifiers, Json, ListTools, Thrown, Wording } from "@acp-client-tools/protocol"
import type { StandardSchemaV1 } from "@standard-schema/spec"
import * as Announcement from "./Announcement.ts"
import * as Cancellable from "./Cancellable.ts"
import * as Settle from "./Settle.ts"
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

// ArkType's failures are arrays, with their issues beside.
const isResult = (value: unknown): value is StandardSchemaV1.Result<unknown> => {
  if (typeof value !== "object" || value === null) return false
  const issues: unknown = Reflect.get(value, "issues")
  return issues === undefined || Array.isArray(issues)
}

/** The validator's result; a validator is anybody's code. */
const validated = async (schema: ToolSchema.Standard, args: unknown) => {
  const result: unknown = await schema["~standard"].validate(args)
  if (isResult(result)) return result
  throw new Error(Wording.validatorGave(Json.typeName(result)))
}

/** Decodes the arguments and runs the handler; rejects as either fails. */
const run = async (
  { execute, schema }: Entry,
  { arguments: args, sessionId }: CallParams.Received,
  signal: AbortSignal
) => {
  const decoded = schema === undefined ? { value: args } : await validated(schema, args)
  if (decoded.issues !== undefined) return ToolResult.error(ToolSchema.faultsText(decoded.issues))
  signal.throwIfAborted()
  return Settle.settle(await execute(decoded.value, { sessionId, signal }), signal)
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
    const why = Thrown.text(cause)
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
    if (session === undefined) throw new RequestError(Identifiers.INVALID_PARAMS, Wording.listParams)
    return Cancellable.run(signal, () => listed(offer, session, request))
  }
  const received = CallParams.decode(params)
  if (received !== undefined) return Cancellable.run(signal, () => call(offer, received, request))
  throw offer.isTool(method)
    ? new RequestError(Identifiers.INVALID_PARAMS, Wording.callWithoutSession)
    : RequestError.methodNotFound(method)
}

/** Has a `client()` app of the ACP SDK answer, by its fallback handler; `initialize` is left alone. */
export const answerOn = (app: ClientApp, offer: ToolOffer): ClientApp => {
  try {
    return app.onRequest("*", (request) => handle(offer, request))
  } catch (cause) {
    throw new TypeError(Wording.fallbackTaken, { cause })
  }
}

/**
 * Offers the tools on a `client()` app of the ACP SDK: the app answers, and the `initialize` that it sends over what it
 * connects to from now on carries the offer. An app that has a fallback handler of its own calls `handle` from it, and puts
 * `capabilityMeta` of the offer into `clientCapabilities._meta`; so does one that an agent app in the same process connects to.
 */
export const offer = (app: ClientApp, tools: ToolOffer): ClientApp => {
  const connect = app.connect.bind(app)
  const connectWith = app.connectWith.bind(app)
  const announced = (stream: Stream): Stream => Announcement.over(stream, tools.capabilityMeta)
  return Object.assign(answerOn(app, tools), {
    connect: (target: Stream | AgentApp) => {
      if ("readable" in target) return connect(announced(target))
      // Each side ends with the other, as the SDK has it for two apps of one process.
      const { peer, stream } = Announcement.toApp(target)
      const connection = connect(announced(stream))
      void connection.closed.then(() => peer.close())
      void peer.closed.then(() => connection.close())
      return connection
    },
    connectWith: <A>(target: Stream | AgentApp, work: Parameters<typeof connectWith<A>>[1]) => {
      if ("readable" in target) return connectWith(announced(target), work)
      const { peer, stream } = Announcement.toApp(target)
      return connectWith(announced(stream), work).finally(() => peer.close())
    }
  })
}
