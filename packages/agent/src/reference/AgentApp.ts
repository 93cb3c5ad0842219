/**
 * The reference agent as an app of the ACP SDK: what each ACP method does. Made by whoever has a configuration and a
 * model, and connected to a stream by whoever has one.
 */
import {
  type AgentApp,
  agent,
  type InitializeRequest,
  PROTOCOL_VERSION,
  RequestError,
  type StopReason
} from "@agentclientprotocol/sdk"
import { type AgentConfig, Wording } from "@acp-client-tools/protocol"
import { Cause, Effect, Exit } from "effect"
import * as ClientTools from "../ClientTools.ts"
import * as Host from "../Host.ts"
import type { Model } from "./Model.ts"
import * as PromptContent from "./PromptContent.ts"
import * as PromptTurn from "./PromptTurn.ts"
import * as Session from "./Session.ts"
import * as SessionId from "./SessionId.ts"

export interface Options {
  readonly config: AgentConfig.AgentConfig
  readonly model: Model
  /** Writes one line on stderr. */
  readonly log: (line: string) => void
  /** Writes one line for those who want to see more than the extension's own lines. */
  readonly debug?: (line: string) => void
  /** `agentInfo` of the answer to `initialize`. */
  readonly info?: { readonly name: string; readonly version: string }
}

const isAbsolute = (path: string): boolean => /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path)

const invalidRequest = (message: string): RequestError => new RequestError(-32600, message)
const invalidParams = (message: string): RequestError => new RequestError(-32602, message)
const internalError = (message: string): RequestError => new RequestError(-32603, message)

/** The result of a handler's work, or the ACP error it ended with. Interruption is the peer's cancellation (REQ-5). */
const resultOf = <A, E extends { readonly message: string }>(exit: Exit.Exit<A, E>): A => {
  if (Exit.isSuccess(exit)) return exit.value
  if (Cause.hasInterruptsOnly(exit.cause)) throw RequestError.requestCancelled()
  const error = Cause.squash(exit.cause)
  throw internalError(error instanceof Error ? error.message : String(error))
}

/** Starts the turn before anything is awaited, so that whatever comes next finds it running. */
const startTurn = (session: Session.Session, prompt: string, signal: AbortSignal) => {
  const turn = Effect.runFork(PromptTurn.run(session.context, prompt), { signal })
  session.turn = turn
  return new Promise<Exit.Exit<StopReason, PromptTurn.Failed>>((resolve) => {
    turn.addObserver((exit) => {
      session.turn = undefined
      resolve(exit)
    })
  })
}

/**
 * The app. It holds the sessions of one connection: make one app for every connection.
 *
 * Order matters: the SDK asks its handlers one after the other with a pause between them, so `session/cancel` stands right
 * behind `session/prompt`, where a cancel sent in the same write as its prompt is handled after it (TURN-1).
 */
export const make = ({ config, debug = () => undefined, info, log, model }: Options): AgentApp => {
  const sessions = new Map<string, Session.Session>()
  const settings = ClientTools.settingsOf(config)
  let clientTools: ClientTools.ClientTools | undefined

  const initialize = (request: Pick<InitializeRequest, "clientCapabilities">, client: Host.Client) => {
    const tools = ClientTools.fromInitialize(request, { host: Host.fromClient(client), settings })
    clientTools = tools
    tools.lines.forEach(log)
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: info ?? { name: "acp-client-tools-agent", version: "0.0.0" },
      authMethods: [],
      agentCapabilities: {
        loadSession: false,
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
        _meta: tools.capabilityMeta
      }
    }
  }

  const open = Effect.fnUntraced(function* (tools: ClientTools.ClientTools, cwd: string) {
    const sessionId = yield* SessionId.make
    const opened = yield* tools.openSession({ sessionId, cwd })
    opened.lines.forEach(log)
    sessions.set(sessionId, Session.make(config, model, opened))
    debug(`session ${sessionId} opened with ${opened.tools.length} client tools`)
    return { sessionId }
  })

  return agent({ name: "acp-client-tools-agent" })
    .onRequest("initialize", ({ params, client }) => initialize(params, client))
    .onRequest("session/prompt", async ({ params, signal }) => {
      const session = sessions.get(params.sessionId)
      if (session === undefined) throw RequestError.sessionNotFound(params.sessionId)
      const unsupported = PromptContent.unsupported(params.prompt)
      if (unsupported !== undefined) throw invalidParams(Wording.blockNotSupported(unsupported))
      if (session.turn !== undefined) throw invalidRequest(Wording.promptRunning)
      const exit = await startTurn(session, PromptContent.toText(params.prompt), signal)
      const stopReason = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? "cancelled" : resultOf(exit)
      debug(`session ${params.sessionId} ended a turn with ${stopReason}`)
      return { stopReason }
    })
    .onNotification("session/cancel", ({ params }) => sessions.get(params.sessionId)?.turn?.interruptUnsafe())
    .onRequest("session/new", async ({ params, signal }) => {
      if (!isAbsolute(params.cwd)) throw invalidParams(Wording.cwdMustBeAbsolute)
      if (clientTools === undefined) throw invalidRequest(Wording.notInitialized)
      return resultOf(await Effect.runPromiseExit(open(clientTools, params.cwd), { signal }))
    })
}
