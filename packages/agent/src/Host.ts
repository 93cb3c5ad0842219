/**
 * The agent the extension lives in, as far as the extension needs it: three functions. Given to ClientTools by whoever
 * has the connection; `fromClient` makes it from a connection of the ACP SDK.
 */
import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk"
import { type JsonObject, type RpcError, Wording } from "@acp-client-tools/protocol"
import { Effect, Predicate, Schema } from "effect"

/** The client answered a request with a JSON-RPC error. */
export class RequestRejected extends Schema.TaggedError<RequestRejected>()("RequestRejected", {
  code: Schema.Finite,
  message: Schema.String,
  /** What the client sent as `data`; `undefined` when it sent none. */
  data: Schema.Unknown
}) {
  get error(): RpcError.RpcError {
    return { code: this.code, message: this.message, data: this.data }
  }
}

/** The connection ended before the answer came (ERR-4). Nobody is left to report to. */
export class ConnectionClosed extends Schema.TaggedError<ConnectionClosed>()("ConnectionClosed", {}) {
  override get message(): string {
    return Wording.clientGone
  }
}

export interface Host {
  /**
   * Sends a request to the client and waits for its result. Interruption must send `$/cancel_request` for it, once, and
   * stop waiting: that is how deadlines and cancelled turns reach the client.
   */
  readonly request: (method: string, params: JsonObject) => Effect.Effect<unknown, RequestRejected | ConnectionClosed>
  /**
   * Sends a `session/update`. Never fails: an update that cannot be delivered is dropped. Without it nothing is
   * reported.
   */
  readonly report?: (sessionId: string, update: SessionUpdate) => Effect.Effect<void>
  /**
   * Sends `session/request_permission` and gives the raw result; interruption as for `request`. Without it a call that
   * has to ask is refused (PERM-4).
   */
  readonly askPermission?: (
    params: RequestPermissionRequest
  ) => Effect.Effect<unknown, RequestRejected | ConnectionClosed>
}

/** Reports to a host that may have no use for it. */
export const report = (host: Host, sessionId: string, update: SessionUpdate): Effect.Effect<void> =>
  host.report?.(sessionId, update) ?? Effect.void

/** What a Host needs of a connection: the `client` of the ACP SDK's handler contexts has it. */
export interface Client {
  request(
    method: string,
    params: unknown,
    options: { readonly cancellationSignal: AbortSignal; readonly stopWaitingOnCancel: true }
  ): Promise<unknown>
  notify(method: string, params: unknown): Promise<void>
}

// By shape: an error of another copy of the SDK is no instance of ours. A lost connection has no code.
const fromRejection = (cause: unknown): RequestRejected | ConnectionClosed =>
  Predicate.isObject(cause) && typeof cause["code"] === "number"
    ? new RequestRejected({
        // A code that is no number JSON could hold was not sent by a peer.
        code: Number.isFinite(cause["code"]) ? cause["code"] : 0,
        message: typeof cause["message"] === "string" ? cause["message"] : "",
        data: cause["data"]
      })
    : new ConnectionClosed()

/**
 * The Host over a connection of the ACP SDK. The one place where interruption of a fiber becomes `$/cancel_request`: the
 * fiber's signal is the request's cancellation signal, and a late answer is dropped by the SDK.
 */
export const fromClient = (client: Client): Required<Host> => {
  const request: Host["request"] = (method, params) =>
    Effect.tryPromise({
      try: (signal) => client.request(method, params, { cancellationSignal: signal, stopWaitingOnCancel: true }),
      catch: fromRejection
    })
  return {
    request,
    report: (sessionId, update) =>
      Effect.promise(() => client.notify("session/update", { sessionId, update }).catch(() => undefined)),
    askPermission: (params) => request("session/request_permission", { ...params })
  }
}
