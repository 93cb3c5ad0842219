/**
 * A program between a client and its agent: starts the agent, passes every byte on, and tells a recorder what it saw.
 * `node WireTap.ts PORT COMMAND ARGS…`, in the place of the agent's command. See WireRecord.
 */
import { spawn } from "node:child_process"
import { connect } from "node:net"
import type { Readable } from "node:stream"
import { createInterface } from "node:readline"

const [port = "", command = "", ...args] = process.argv.slice(2)
const recorder = connect(Number(port), "127.0.0.1")
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] })

const record = (from: "client" | "agent" | "stderr", input: Readable): Promise<void> =>
  new Promise((resolve) => {
    createInterface({ input, crlfDelay: Infinity })
      .on("line", (line) => recorder.write(`${JSON.stringify({ from, line })}\n`))
      .on("close", resolve)
  })

// A side that is gone ends the other through the closed pipe; its errors say nothing new.
for (const stream of [agent.stdin, process.stdout, process.stderr]) stream.on("error", () => undefined)
void record("client", process.stdin)
const recorded = [record("agent", agent.stdout), record("stderr", agent.stderr)]
process.stdin.pipe(agent.stdin)
agent.stdout.pipe(process.stdout)
agent.stderr.pipe(process.stderr)
process.on("SIGTERM", () => agent.kill("SIGTERM"))

agent.on("close", (code, signal) => {
  process.stdin.destroy()
  void Promise.all(recorded).then(() => {
    recorder.write(`${JSON.stringify({ from: "exit", line: String(signal ?? code) })}\n`)
    recorder.end(() => process.exit(code ?? 1))
  })
})
