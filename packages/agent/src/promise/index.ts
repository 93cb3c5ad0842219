/**
 * Client tools for any ACP agent, with promises: the same as the root entry, without a type of Effect. Rejections are
 * ordinary errors; an aborted signal rejects with its reason.
 */
import * as Extension from "../ClientTools.ts"
import * as Host from "../Host.ts"
import type { LoopDetector } from "../LoopDetector.ts"
import type { Grants } from "../Permission.ts"
import type * as ToolCall from "../ToolCall.ts"
import type { InitializeRequest } from "@agentclientprotocol/sdk"
import {
  type ClientTool,
  type JsonObject,
  Thrown,
  type ToolDeclaration,
  type ToolSet
} from "@acp-client-tools/protocol"
import { Cause, Effect, Exit, Result } from "effect"

export interface Options {
  /** The `client` of the ACP SDK's handler contexts. */
  readonly client: Host.Client
  /** What differs from the defaults of an empty agent file. */
  readonly settings?: Extension.SettingsInput
  /** Names of the agent's own tools: a client tool of such a name is skipped. */
  readonly reserved?: Iterable<string>
}

export type { LoopDetector } from "../LoopDetector.ts"
export type { Grants } from "../Permission.ts"
export type { Requested as ToolCallRequest, Result as ToolCallResult } from "../ToolCall.ts"

export interface CallOptions {
  /** Aborting it cancels the request at the client and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The turn's; without it nothing is counted. */
  readonly loop?: LoopDetector | undefined
}

/** The client tools of one session. */
export interface SessionTools {
  readonly tools: ReadonlyArray<ClientTool>
  readonly skipped: ReadonlyArray<ToolSet.Skipped>
  /** What to print on stderr, one event a line. */
  readonly lines: ReadonlyArray<string>
  readonly declarations: ReadonlyArray<ToolDeclaration.ToolDeclaration>
  /** What the user allows in this session: `yolo` may be set, and is heeded from the next call on. */
  readonly grants: Grants
  /** A detector for one prompt turn, to be given to each of its calls; its `verdict` tells when to stop the turn. */
  readonly newLoopDetector: () => LoopDetector
  /** Runs one call; gives what the model reads. One that was aborted reads `[client tool error: cancelled]` in a history. */
  readonly call: (call: ToolCall.Requested, options?: CallOptions) => Promise<ToolCall.Result>
}

/** The client tools of one connection. */
export interface ClientTools {
  readonly lines: ReadonlyArray<string>
  readonly capabilityMeta: JsonObject
  /** To be awaited while `session/new`, `load` or `resume` is handled, before it is answered. */
  readonly openSession: (
    session: Extension.SessionRequest,
    options?: { readonly signal?: AbortSignal | undefined }
  ) => Promise<SessionTools>
}

const run = async <A, E>(effect: Effect.Effect<A, E>, signal: AbortSignal | undefined): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  if (signal?.aborted === true) throw signal.reason
  const error = Cause.squash(exit.cause)
  throw new Error(Thrown.text(error), { cause: error })
}

/** Reads the client's tools out of an `initialize` request. Throws a TypeError for settings that cannot be used. */
export const clientTools = (
  request: Pick<InitializeRequest, "clientCapabilities">,
  { client, settings = {}, reserved = [] }: Options
): ClientTools => {
  const decoded = Extension.decodeSettings(settings)
  if (Result.isFailure(decoded)) throw new TypeError(decoded.failure)
  const tools = Extension.fromInitialize(request, {
    host: Host.fromClient(client),
    settings: decoded.success,
    reserved
  })
  return {
    lines: tools.lines,
    capabilityMeta: tools.capabilityMeta,
    openSession: async (session, { signal } = {}) => {
      const opened = await run(tools.openSession(session), signal)
      return {
        tools: opened.tools,
        skipped: opened.skipped,
        lines: opened.lines,
        declarations: opened.declarations,
        grants: opened.context.grants,
        newLoopDetector: opened.newLoopDetector,
        call: (call, { signal: callSignal, ...turn } = {}) => run(opened.call(call, turn), callSignal)
      }
    }
  }
}
