/**
 * An agent that writes 100,000 updates in one go, for tests of a client that has to keep up: in the midst of them it calls
 * the tool `_t/echo`, and calls `_t/never` and takes that back; behind them it calls `_t/peak`, and tells the prompt's end
 * once it has all answers. What they were stands on its stderr as one JSON line.
 */
import { createInterface } from "node:readline"

const UPDATES = 100_000

const line = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`

const params = (args: object = {}): object => ({ ...args, _meta: { "org.mini-me/sessionId": "s" } })

const update = (n: number): string =>
  line({
    method: "session/update",
    params: {
      sessionId: "s",
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: `chunk ${n} ` } }
    }
  })

const burst = (): string => {
  const lines: Array<string> = []
  for (let n = 0; n < UPDATES; n++) {
    lines.push(update(n))
    if (n === UPDATES / 4) lines.push(line({ id: 1, method: "_t/echo", params: params({ n }) }))
    if (n === UPDATES / 4) lines.push(line({ id: 2, method: "_t/never", params: params() }))
    if (n === UPDATES / 2) lines.push(line({ method: "$/cancel_request", params: { requestId: 2 } }))
  }
  lines.push(line({ id: 3, method: "_t/peak", params: params() }))
  return lines.join("")
}

const answers: Record<string, unknown> = {}
let prompt: unknown

createInterface({ input: process.stdin }).on("line", (text) => {
  const { error, id, method, result } = JSON.parse(text)
  if (method === "initialize") process.stdout.write(line({ id, result: { protocolVersion: 1 } }))
  if (method === "session/new") process.stdout.write(line({ id, result: { sessionId: "s" } }))
  if (method === "session/prompt") {
    prompt = id
    process.stdout.write(burst())
  }
  if (method !== undefined) return
  answers[id] = error?.code ?? result
  if (Object.keys(answers).length < 3) return
  process.stderr.write(`${JSON.stringify(answers)}\n`)
  process.stdout.write(line({ id: prompt, result: { stopReason: "end_turn" } }))
})
