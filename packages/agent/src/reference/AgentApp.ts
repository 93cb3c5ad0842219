/**
 * The reference agent as an app of the ACP SDK: what each ACP method does. Made by whoever has a configuration, a model and
 * a store, and connected to a stream by whoever has one.
 */
import {
  agent,
  type AgentConnection,
  type InitializeRequest,
  PROTOCOL_VERSION,
  type Stream
} from "@agentclientprotocol/sdk"
import { type AgentConfig, Wording } from "@acp-client-tools/protocol"
import { Effect, type Scope } from "effect"
import * as ClientTools from "../ClientTools.ts"
import * as Host from "../Host.ts"
import * as AcpError from "./AcpError.ts"
import type { Files } from "./Files.ts"
import type { Start } from "./McpServer.ts"
import type { Model } from "./Model.ts"
import * as OrderedStream from "./OrderedStream.ts"
import * as SentAnswers from "./SentAnswers.ts"
import * as Sessions from "./Sessions.ts"
import type { SessionStore } from "./SessionStore.ts"
import * as SessionMemory from "./SessionMemory.ts"

export interface Options {
  readonly config: AgentConfig.AgentConfig
  readonly model: Model
  /** Where sessions are kept; in memory when absent. */
  readonly store?: SessionStore
  /** Writes one line on stderr. */
  readonly log: (line: string) => void
  /** Writes one line for those who want to see more than the extension's own lines. */
  readonly debug?: (line: string) => void
  /** The files of the agent's machine, for its own tools; without it they only look where the client's `fs` does (OWN-2). */
  readonly files?: Files
  /** Starts the MCP servers of a session; without it they are not started, and a line says so (OWN-3). */
  readonly startMcpServer?: Start
  /** `agentInfo` of the answer to `initialize`. */
  readonly info?: { readonly name: string; readonly version: string }
}

/** An agent without a client. */
export interface AgentApp {
  /** Serves a client, once. */
  readonly connect: (stream: Stream) => AgentConnection
}

/**
 * The app. It holds the sessions of one connection: make one app for every connection. When the scope ends they are closed,
 * what they were busy with is cancelled, and others can open them.
 *
 * Order matters: the SDK asks its handlers one after the other with a pause between them, so `session/cancel` stands right
 * behind `session/prompt`, where a cancel sent in the same write as its prompt is handled after it (TURN-1). For the requests
 * that open and close sessions, OrderedStream sees to it.
 */
export const make = ({
  config,
  debug = () => undefined,
  files,
  info,
  log,
  model,
  startMcpServer,
  store = SessionMemory.make()
}: Options): Effect.Effect<AgentApp, never, Scope.Scope> => {
  const settings = ClientTools.settingsOf(config)
  const sessions = Sessions.make({ config, model, store, log, debug, files, startMcpServer })
  const answers = SentAnswers.make()
  let initialized: Sessions.Client | undefined

  const initialize = (request: Pick<InitializeRequest, "clientCapabilities">, client: Host.Client) => {
    const host = Host.fromClient(client)
    const tools = ClientTools.fromInitialize(request, { host, settings })
    initialized = { tools, capabilities: request.clientCapabilities, host }
    tools.lines.forEach(log)
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: info ?? { name: "acp-client-tools-agent", version: "0.0.0" },
      authMethods: [],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        _meta: tools.capabilityMeta
      }
    }
  }

  const client = (): Sessions.Client => {
    if (initialized === undefined) throw AcpError.invalidRequest(Wording.notInitialized)
    return initialized
  }

  const app = agent({ name: "acp-client-tools-agent" })
    .onRequest("initialize", ({ params, client: peer }) => initialize(params, peer))
    .onRequest("session/prompt", async ({ params: { prompt, sessionId }, signal }) => ({
      stopReason: await sessions.prompt(sessionId, prompt, signal)
    }))
    .onNotification("session/cancel", ({ params }) => sessions.cancel(params.sessionId))
    .onRequest("session/new", async ({ params, requestId, signal }) => {
      const answer = await sessions.create(client(), params, signal)
      answers.after(requestId, () => sessions.announce(answer.sessionId))
      return answer
    })
    .onRequest("session/load", async ({ params, requestId, signal }) => {
      const answer = await sessions.load(client(), params, signal)
      answers.after(requestId, () => sessions.announce(params.sessionId))
      return answer
    })
    .onRequest("session/resume", async ({ params, requestId, signal }) => {
      const answer = await sessions.resume(client(), params, signal)
      answers.after(requestId, () => sessions.announce(params.sessionId))
      return answer
    })
    .onRequest("session/list", ({ params }) => sessions.list(params))
    .onRequest("session/close", async ({ params }) => {
      await sessions.close(params.sessionId)
      return {}
    })
    .onRequest("session/delete", async ({ params }) => {
      await sessions.remove(params.sessionId)
      return {}
    })
    .onRequest("session/set_config_option", ({ params }) => sessions.setConfigOption(client(), params))

  return Effect.as(
    Effect.addFinalizer(() => sessions.closeAll),
    { connect: (stream) => app.connect(answers.watch(OrderedStream.make(stream))) }
  )
}
