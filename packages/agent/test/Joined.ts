/** The reference agent around a scripted model, joined to a client of the ACP SDK by lines of JSON. Used by tests of its tools. */
import {
  client,
  type ClientCapabilities,
  type McpServer,
  ndJsonStream,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate
} from "@agentclientprotocol/sdk"
import { AgentConfig } from "@acp-client-tools/protocol"
import { Effect, Result } from "effect"
import { AgentApp, ScriptedModel } from "../src/reference/index.ts"

export interface Options extends Pick<AgentApp.Options, "files" | "startMcpServer"> {
  /** The steps of the model, each a model request. */
  readonly steps: ReadonlyArray<object>
  /** The agent file beside its model; tools run without a question unless it says otherwise. */
  readonly config?: object
  readonly capabilities?: ClientCapabilities
  /** What the client answers, by method; a function may throw. */
  readonly answers?: Readonly<Record<string, (params: any, signal: AbortSignal) => unknown>>
  readonly cwd?: string
  readonly mcpServers?: Array<McpServer>
}

/** Opens a session. Everything ends with the scope. */
export const make = Effect.fnUntraced(function* ({
  answers = {},
  capabilities = {},
  config = {},
  cwd = "/",
  files,
  mcpServers = [],
  startMcpServer,
  steps
}: Options) {
  const log: Array<string> = []
  const asked: Array<{ readonly method: string; readonly params: any }> = []
  const updates: Array<SessionUpdate> = []
  const permissions: Array<RequestPermissionRequest> = []
  const app = yield* AgentApp.make({
    config: Result.getOrThrow(AgentConfig.decode({ yolo: true, ...config }).config),
    model: ScriptedModel.make(Result.getOrThrow(ScriptedModel.decode({ steps }))),
    log: (line) => log.push(line),
    ...(files === undefined ? {} : { files }),
    ...(startMcpServer === undefined ? {} : { startMcpServer })
  })
  const toAgent = new TransformStream<Uint8Array, Uint8Array>()
  const toClient = new TransformStream<Uint8Array, Uint8Array>()
  const answering = client({ name: "test" })
    .onNotification("session/update", ({ params: { update } }) => {
      updates.push(update)
    })
    .onRequest("session/request_permission", ({ params }) => {
      permissions.push(params)
      return { outcome: { outcome: "selected", optionId: "allow" } }
    })
    .onRequest("*", async ({ method, params, signal }) => {
      asked.push({ method, params })
      const answer = answers[method]
      if (answer === undefined) throw RequestError.methodNotFound(method)
      return answer(params, signal)
    })
  const { agent } = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const agentSide = app.connect(ndJsonStream(toClient.writable, toAgent.readable))
      const clientSide = answering.connect(ndJsonStream(toAgent.writable, toClient.readable))
      return { agentSide, clientSide, agent: clientSide.agent }
    }),
    ({ agentSide, clientSide }) =>
      Effect.sync(() => {
        clientSide.close()
        agentSide.close()
      })
  )
  yield* Effect.promise(() => agent.request("initialize", { protocolVersion: 1, clientCapabilities: capabilities }))
  const { sessionId } = yield* Effect.promise(() => agent.request("session/new", { cwd, mcpServers }))

  const ends = () =>
    updates.flatMap((update) =>
      update.sessionUpdate === "tool_call_update" && (update.status === "completed" || update.status === "failed")
        ? [{ status: update.status, text: textOf(update.content?.[0]) }]
        : []
    )
  return {
    agent,
    sessionId,
    log,
    /** The requests of the agent that no other handler took. */
    asked,
    updates,
    permissions,
    prompt: (text: string) =>
      Effect.promise(() => agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })),
    /** How the calls ended, in that order. */
    ends,
    /** All the agent said so far. */
    said: () =>
      updates
        .map((update) =>
          update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : ""
        )
        .join("")
  }
})

const textOf = (content: unknown): string => {
  const block = (content as { readonly content?: { readonly text?: string } } | undefined)?.content
  return block?.text ?? ""
}
