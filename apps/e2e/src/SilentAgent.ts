/**
 * An agent of few words, for tests of a client that has to leave it: answers `initialize` and `session/new`, writes
 * `prompted PID` on stderr when it gets a prompt, and then does as its argument says: `silent` answers nothing, `deaf` asks
 * for a large tool result and reads no more. It outlives its stdin and SIGTERM.
 */
import { createInterface } from "node:readline"

const send = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
}

process.on("SIGTERM", () => undefined)
setInterval(() => undefined, 1_000)

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line)
  if (method === "initialize") send({ id, result: { protocolVersion: 1 } })
  if (method === "session/new") send({ id, result: { sessionId: "s" } })
  if (method !== "session/prompt") return
  process.stderr.write(`prompted ${process.pid}\n`)
  if (process.argv[2] === "deaf") {
    process.stdin.pause()
    send({ id: 1, method: "_t/big", params: { _meta: { "org.mini-me/sessionId": "s" } } })
  }
})
