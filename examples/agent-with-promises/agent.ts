/**
 * An agent on the ACP SDK, with the tools its client offers. Its model is a function; the rest is whole.
 * `node agent.ts` learns the tools from `initialize`, `node agent.ts request` asks for them in each new session.
 */
import { Readable, Writable } from "node:stream"
import { agent, ndJsonStream, RequestError } from "@agentclientprotocol/sdk"
import { type ClientTools, clientTools, type SessionTools } from "@acp-client-tools/agent/promise"

const settings = { discovery: process.argv[2] === "request" ? "request" : "meta" } as const
const log = (line: string) => console.error(line)

/** Stands for a model: `client_x {"a":1}` makes it call that tool, anything else makes it name the tools it knows. */
const model = async (prompt: string, { call, declarations }: SessionTools, signal: AbortSignal) => {
  const [, name, args] = /^(\w+) (\{.*\})$/s.exec(prompt) ?? []
  if (name === undefined) return declarations.map((tool) => `${tool.name}: ${tool.description}`).join("\n")
  return (await call({ toolCallId: crypto.randomUUID(), name, arguments: args }, { signal })).text
}

let tools: ClientTools // The SDK lets no other request in before `initialize`.
const sessions = new Map<string, SessionTools>()
const turns = new Map<string, AbortController>()

agent({ name: "agent-with-promises" })
  .onRequest("initialize", ({ params, client }) => {
    tools = clientTools(params, { client, settings })
    tools.lines.forEach(log)
    return { protocolVersion: 1, agentCapabilities: { _meta: tools.capabilityMeta } }
  })
  .onRequest("session/prompt", async ({ params: { sessionId, prompt }, signal, client }) => {
    const session = sessions.get(sessionId)
    if (session === undefined) throw RequestError.sessionNotFound(sessionId)
    if (turns.has(sessionId)) throw RequestError.invalidRequest(undefined, "a turn is running")
    // Noted before anything is awaited: a cancel may stand right behind its prompt.
    const turn = new AbortController()
    turns.set(sessionId, turn)
    // The SDK aborts a handler's own signal for `$/cancel_request`, not for `session/cancel`.
    const cancelled = AbortSignal.any([turn.signal, signal])
    try {
      const said = prompt.map((block) => (block.type === "text" ? block.text : "")).join("")
      const content = { type: "text", text: await model(said, session, cancelled) } as const
      await client.notify("session/update", { sessionId, update: { sessionUpdate: "agent_message_chunk", content } })
    } catch (cause) {
      if (!cancelled.aborted) throw cause
    } finally {
      turns.delete(sessionId)
    }
    return { stopReason: cancelled.aborted ? "cancelled" : "end_turn" }
  })
  // Right behind `session/prompt`: the SDK asks one handler after the other, so a cancel does not overtake its prompt.
  .onNotification("session/cancel", ({ params }) => turns.get(params.sessionId)?.abort())
  .onRequest("session/new", async ({ params, signal }) => {
    const sessionId = crypto.randomUUID()
    const session = await tools.openSession({ sessionId, cwd: params.cwd }, { signal })
    session.lines.forEach(log)
    sessions.set(sessionId, session)
    return { sessionId }
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
