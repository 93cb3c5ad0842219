// A client by hand, just enough of one: client.mjs TOOLS PROMPT MANNER AGENT ARGS… Its manner breaks it in one way.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"

const [toolsFile, prompt, manner, command, ...args] = process.argv.slice(2)
const tools = toolsFile === "" ? [] : JSON.parse(readFileSync(toolsFile, "utf8"))
if (manner === "dies") process.exit(2)
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
const started = [agent]
const toLine = (message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`
const send = (...messages) => agent.stdin.write(messages.map(toLine).join(""))
const pending = new Map()
const request = (method, params) =>
  new Promise((resolve) => {
    pending.set(pending.size, resolve)
    send({ id: pending.size - 1, method, params })
  })
const stop = (code) => {
  for (const one of started) one.stdin.end()
  agent.once("close", () => process.exit(code))
}
agent.once("error", () => process.exit(1))
agent.once("exit", (code) => code !== 0 && process.exit(1))
process.once("SIGINT", () => (agent.kill(), process.exit(130)))

createInterface({ input: agent.stdout }).on("line", (line) => {
  if (manner === "silent") return
  const { id, method, params, result } = JSON.parse(line)
  if (method === undefined) return pending.get(id)?.(result)
  if (method === "session/update") return console.log(JSON.stringify(params))
  const tool = tools.find((one) => one.method === method)
  if (tool === undefined) return send({ id, error: { code: -32601, message: "Method not found" } })
  const answer = { id, result: tool.behaviour.return }
  // Twice in one write: the runner hangs up behind the first.
  if (manner === "twice") send(answer, answer)
  else if (tool.behaviour.return !== undefined) send(answer)
})

await request("initialize", {
  protocolVersion: 1,
  clientCapabilities: { _meta: { "org.mini-me/tools": tools.map((tool) => ({ ...tool, behaviour: undefined })) } }
})
if (manner === "starts twice") started.push(spawn(command, args, { stdio: ["pipe", "ignore", "inherit"] }))
const { sessionId } = await request("session/new", { cwd: process.cwd(), mcpServers: [] })
if (manner === "noise") console.log("ready")
const { stopReason } = await request("session/prompt", { sessionId, prompt: [{ type: "text", text: prompt }] })
console.log(JSON.stringify({ sessionId, stopReason }))
if (manner === "chatty") console.log("bye")
if (manner === "hangs") setInterval(() => {}, 1000)
else stop(0)
