/** A client on the ACP SDK whose tools differ by session: `node client.ts PROMPT AGENT COMMAND…` gives one prompt. */
import { spawn } from "node:child_process"
import { Readable, Writable } from "node:stream"
import { client, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk"
import { ClientTool, RequestHandler, Toolkit, ToolOffer } from "@acp-client-tools/client"
import { Effect, Schema } from "effect"

const tools = ToolOffer.perSession(({ cwd }) => {
  const wait = ClientTool.make({
    name: "wait",
    description: "Wait for some milliseconds, and learn in which folder.",
    inputSchema: Schema.Struct({
      milliseconds: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 60_000 }))
    }),
    // A cancelled turn interrupts the sleep.
    execute: ({ milliseconds }) => Effect.as(Effect.sleep(milliseconds), `waited in ${cwd}`)
  })
  return Effect.fromResult(Toolkit.make([wait], { namespace: "com.example" }))
})

const app = client({ name: "client-with-effect" })
  .onNotification("session/update", ({ params: { update } }) => {
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
      process.stdout.write(update.content.text)
    }
  })
  .onRequest("session/request_permission", ({ params: { options } }) => {
    const allow = options.find(({ kind }) => kind === "allow_once")
    return { outcome: allow ? { outcome: "selected", optionId: allow.optionId } : { outcome: "cancelled" } }
  })

const [text = "", command = "", ...args] = process.argv.slice(2)
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout))
await RequestHandler.offer(app, tools).connectWith(stream, async (connection) => {
  await connection.request("initialize", { protocolVersion: PROTOCOL_VERSION })
  const { sessionId } = await connection.request("session/new", { cwd: process.cwd(), mcpServers: [] })
  await connection.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
})
agent.stdin.end()
