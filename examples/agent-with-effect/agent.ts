/**
 * An agent on the ACP SDK and Effect, with the tools its client offers. Its model is a function; the rest is whole.
 * `node agent.ts` learns the tools from `initialize`, `node agent.ts request` asks for them in each new session.
 */
import { Readable, Writable } from "node:stream"
import { agent, ndJsonStream, RequestError } from "@agentclientprotocol/sdk"
import { ClientTools, Host } from "@acp-client-tools/agent"
import { Cause, Effect, Exit, Fiber, Result } from "effect"

const discovery = process.argv[2] === "request" ? "request" : "meta"
const settings = Result.getOrThrow(ClientTools.decodeSettings({ discovery }))
const log = (line: string) => console.error(line)

/** Stands for a model: `client_x {"a":1}` makes it call that tool, anything else makes it name the tools it knows. */
const model = Effect.fnUntraced(function* (prompt: string, { call, declarations }: ClientTools.SessionTools) {
  const [, name, args] = /^(\w+) (\{.*\})$/s.exec(prompt) ?? []
  if (name === undefined) return declarations.map((tool) => `${tool.name}: ${tool.description}`).join("\n")
  return (yield* call({ toolCallId: crypto.randomUUID(), name, arguments: args })).text
})

let host: Required<Host.Host>
let tools: ClientTools.ClientTools // The SDK lets no other request in before `initialize`.
const sessions = new Map<string, ClientTools.SessionTools>()
const turns = new Map<string, Fiber.Fiber<void, Host.ConnectionClosed>>()

agent({ name: "agent-with-effect" })
  .onRequest("initialize", ({ params, client }) => {
    host = Host.fromClient(client)
    tools = ClientTools.fromInitialize(params, { host, settings })
    tools.lines.forEach(log)
    return { protocolVersion: 1, agentCapabilities: { _meta: tools.capabilityMeta } }
  })
  .onRequest("session/prompt", async ({ params: { sessionId, prompt }, signal }) => {
    const session = sessions.get(sessionId)
    if (session === undefined) throw RequestError.sessionNotFound(sessionId)
    if (turns.has(sessionId)) throw RequestError.invalidRequest(undefined, "a turn is running")
    const said = prompt.map((block) => (block.type === "text" ? block.text : "")).join("")
    const turn = Effect.flatMap(model(said, session), (text) =>
      host.report(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } })
    )
    // Noted before anything is awaited: a cancel may stand right behind its prompt. `signal` is for `$/cancel_request`.
    const fiber = Effect.runFork(turn, { signal })
    turns.set(sessionId, fiber)
    const exit = await Effect.runPromise(Fiber.await(fiber))
    turns.delete(sessionId)
    if (Exit.isSuccess(exit)) return { stopReason: "end_turn" }
    if (Cause.hasInterruptsOnly(exit.cause)) return { stopReason: "cancelled" }
    throw Cause.squash(exit.cause)
  })
  // Right behind `session/prompt`: the SDK asks one handler after the other, so a cancel does not overtake its prompt.
  .onNotification("session/cancel", ({ params }) => turns.get(params.sessionId)?.interruptUnsafe())
  .onRequest("session/new", async ({ params, signal }) => {
    const sessionId = crypto.randomUUID()
    const opened = await Effect.runPromiseExit(tools.openSession({ sessionId, cwd: params.cwd }), { signal })
    if (Exit.isFailure(opened)) throw RequestError.requestCancelled()
    opened.value.lines.forEach(log)
    sessions.set(sessionId, opened.value)
    return { sessionId }
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
