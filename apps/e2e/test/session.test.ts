/** How sessions are named, and how an agent ends. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { expect, it } from "vitest"
import * as Command from "../src/Command.ts"
import * as Folder from "../src/Folder.ts"
import * as Pair from "../src/Pair.ts"

it("a session's id tells when it was opened, and the agent ends with its client [SESS-1.b SESS-4.a CLIENT-8.a]", async () => {
  const { agentExit, wire } = await Pair.run({ script: [{ text: "done" }] })
  const opened = wire.find(({ line }) => line.includes('"sessionId"'))
  const id = /\d{8}-\d{6}-[0-9a-f]{8}/.exec(opened?.line ?? "")?.[0] ?? ""
  const text = id.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-.*/, "$1-$2-$3T$4:$5:$6Z")
  expect(Math.abs(Date.now() - Date.parse(text))).toBeLessThan(60_000)
  expect(agentExit).toBe("0")
})

it("a reader that goes away ends the agent quietly [ERR-4.a ERR-4.b SESS-4.c]", async () => {
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
