/** How sessions are named, and how an agent ends. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { expect, it } from "vitest"
import * as Command from "../src/Command.ts"
import * as Folder from "../src/Folder.ts"
import * as Pair from "../src/Pair.ts"

it("a session's id tells when it was opened, and the agent ends with its client [SESS-1.b SESS-4.a CLIENT-8.a]", async () => {
  const { agentExit, wire } = await Pair.run({ script: [{ text: "done" }] })
  const opened = wire.find(({ line }) => line.includes('"sessionId"'))
  const id = /\d{8}-\d{6}-[0-9a-f]{8}/.exec(opened?.line ?? "")?.[0] ?? ""
  const opening = id.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-.*/, "$1-$2-$3T$4:$5:$6Z")
  expect(Math.abs(Date.now() - Date.parse(opening))).toBeLessThan(60_000)
  expect(agentExit).toBe("0")
})

it("a reader that goes away ends the agent quietly [SESS-4.c]", async () => {
  await using folder = await Folder.make({
    "agent.yaml": "model: {provider: script, script: ./steps.yaml}",
    "steps.yaml": JSON.stringify({ steps: [] })
  })
  const { args, command } = Command.agent(folder.path("agent.yaml"))
  const agent = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] })
  const complaints: Array<string> = []
  createInterface({ input: agent.stderr }).on("line", (line) => complaints.push(line))
  const exited = once(agent, "close")
  const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } }
  const answered = once(agent.stdout, "data")
  agent.stdin.write(`${JSON.stringify(initialize)}\n`)
  await answered
  agent.stdout.destroy()
  agent.stdin.write(`${JSON.stringify({ ...initialize, id: 1 })}\n`)
  expect(await exited).toEqual([0, null])
  expect(complaints).toEqual([])
})

it("what the agent was writing when it is told to end arrives whole [SESS-4.b SESS-4.c LOG-5.c]", async () => {
  await using folder = await Folder.make({
    "agent.yaml": "model: {provider: script, script: ./steps.yaml}",
    "steps.yaml": JSON.stringify({ steps: [{ text: "x".repeat(300_000), wait: true }] })
  })
  const { args, command } = Command.agent(folder.path("agent.yaml"))
  const agent = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] })
  const complaints = text(agent.stderr)
  const exited = once(agent, "close")
  let written = ""
  const send = (message: object) => agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  agent.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const isFirstOfText = !written.includes("xxx") && chunk.includes("xxx")
    written += chunk
    // The rest of the long line is still on its way.
    if (isFirstOfText) agent.kill("SIGTERM")
    if (/"id":0,.*\n$/.test(chunk)) send({ id: 1, method: "session/new", params: { cwd: "/", mcpServers: [] } })
    const sessionId = /"id":1,.*"sessionId":"([^"]+)"/.exec(chunk)?.[1]
    const prompt = [{ type: "text", text: "Hi" }]
    if (sessionId !== undefined) send({ id: 2, method: "session/prompt", params: { sessionId, prompt } })
  })
  send({ id: 0, method: "initialize", params: { protocolVersion: 1 } })
  expect(await exited).toEqual([0, null])
  expect(await complaints).toBe("")
  expect(written.endsWith("\n")).toBe(true)
  const messages = written
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(messages.find(({ method }) => method === "session/update").params.update.content.text).toHaveLength(300_000)
})
