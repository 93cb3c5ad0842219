/** A client on the ACP SDK with a tool of its own: `node client.ts PROMPT AGENT COMMAND…` gives the agent one prompt. */
import { spawn } from "node:child_process"
import { Readable, Writable } from "node:stream"
import { client, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk"
import { defineTool, offerTools } from "@acp-client-tools/client/promise"
import { z } from "zod"

const notes = new Map([["shopping", "milk, bread"]])

const readNote = defineTool({
  name: "read note",
  description: "Read one of the user's notes.",
  inputSchema: z.object({ title: z.string().describe("One of: shopping.") }),
  execute: ({ title }) => notes.get(title) ?? Promise.reject(new Error(`there is no note ${title}`))
})

const app = client({ name: "client-with-promises" })
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
await offerTools([readNote])
  .addTo(app)
  .connectWith(stream, async (connection) => {
    await connection.request("initialize", { protocolVersion: PROTOCOL_VERSION })
    const { sessionId } = await connection.request("session/new", { cwd: process.cwd(), mcpServers: [] })
    await connection.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
  })
agent.stdin.end()
