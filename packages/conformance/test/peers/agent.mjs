// An agent by hand, just enough of one. Its argument breaks it in one way.
import { createInterface } from "node:readline"

const manner = process.argv[2] ?? "good"
const raw = (text) => process.stdout.write(text)
const send = (message) => raw(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const update = (text) =>
  send({
    method: "session/update",
    params: { sessionId: "s1", update: { sessionUpdate: "agent_message_chunk", text } }
  })
let prompt

const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { _meta: { mode: "meta" } } }),
  "session/new": ({ cwd }) => ({ sessionId: "s1", cwd }),
  "session/prompt": (_, id) => {
    prompt = id
    send({ id: 0, method: "_t/tool", params: { language: "go", _meta: { "org.mini-me/sessionId": "s1" } } })
  }
}

const breaks = {
  garbage: () => raw("this is not JSON\n"),
  dies: () => process.exit(3),
  silent: () => {},
  bytes: () => process.stdout.write(Buffer.from([0x22, 0xff, 0x22, 0x0a])),
  halfLine: () => process.stdout.write('{"jsonrpc":"2.0"', () => process.exit(0)),
  flood: () => setInterval(() => raw('{"jsonrpc":"2.0","method":"session/update"}\n'.repeat(5000)), 1)
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    let message
    try {
      message = JSON.parse(line)
    } catch {
      return send({ id: null, error: { code: -32700, message: "Parse error" } })
    }
    const { id, method, params, result } = message
    if (method !== "initialize" && breaks[manner]) return breaks[manner]()
    if (method === "session/cancel") return send({ id: prompt, result: { stopReason: "cancelled" } })
    if (method === undefined) {
      if (manner === "disorder") return (send({ id: prompt, result: { stopReason: "end_turn" } }), update(result))
      update(result)
      return send({ id: prompt, result: { stopReason: "end_turn" } })
    }
    const answer = answers[method]
    if (answer === undefined) return send({ id, error: { code: -32601, message: "Method not found" } })
    if (manner === "noise") raw("Listening …\n")
    const value = answer(params, id)
    if (value === undefined) return
    console.error(`[agent] ${method}`)
    send({ id, result: value })
    if (manner === "twice") send({ id, result: value })
  })
  .on("close", () => {
    if (manner === "flood") return
    if (manner === "stubborn") return setInterval(() => {}, 1000)
    process.exit(0)
  })
process.on("SIGTERM", () => manner !== "stubborn" && process.exit(0))
