/**
 * The answers of a client to extension requests: its tool list, its tools' calls. Given to the ACP SDK's `client()` app by
 * `offer`, or called from a fallback handler of one's own.
 */
import { type ClientApp, RequestError } from "@agentclientprotocol/sdk"
import { CallParams, Identifiers, ListTools, Wording } from "@acp-client-tools/protocol"
import * as ClientTool from "./ClientTool.ts"
import * as ToolResult from "./ToolResult.ts"
import type { Entry, Toolkit } from "./Toolkit.ts"

/** The part of a request the handlers look at: a handler context of the ACP SDK has it. */
export interface Request {
  readonly method: string
  readonly params: unknown
  /** Aborted by `$/cancel_request` for this request, and when the connection closes. */
  readonly signal: AbortSignal
}

/** Settles with the handler or at the abort, whichever is first; what the handler does later is dropped (CLIENT-2). */
const unlessAborted = (signal: AbortSignal, work: () => unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const cancelled = () => reject(RequestError.requestCancelled())
    if (signal.aborted) return cancelled()
    signal.addEventListener("abort", cancelled, { once: true })
    Promise.resolve()
      .then(work)
      .then(ToolResult.fromValue, ToolResult.fromFailure)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", cancelled))
  })

const call = ({ execute }: Entry, { params, signal }: Request): Promise<unknown> => {
  const received = CallParams.decode(params)
  if (received === undefined) throw new RequestError(-32602, Wording.callWithoutSession)
  return unlessAborted(signal, async () =>
    ClientTool.settle(await execute(received.arguments, { sessionId: received.sessionId, signal }), signal)
  )
}

/**
 * Answers a request for the tool list or a call; everything else is `-32601` (CLIENT-5). The list is answered in either
 * mode, for any session id (CLIENT-10, REQ-7).
 */
export const handle = async (toolkit: Toolkit, request: Request): Promise<unknown> => {
  if (request.method === Identifiers.LIST_METHOD && toolkit.descriptions.length > 0) {
    if (ListTools.decodeParams(request.params) === undefined) throw new RequestError(-32602, Wording.listParams)
    return { tools: toolkit.descriptions }
  }
  const entry = toolkit.byMethod.get(request.method)
  if (entry === undefined) throw RequestError.methodNotFound(request.method)
  return call(entry, request)
}

/**
 * Adds the tools to a `client()` app of the ACP SDK as its fallback handler. The other half of offering them is
 * `Toolkit.capabilityMeta` in the `initialize` request. An app that has a fallback of its own calls `handle` from it.
 */
export const offer = (app: ClientApp, toolkit: Toolkit): ClientApp =>
  app.onRequest("*", (request) => handle(toolkit, request))
