/**
 * The agent command that a client under test starts. It carries its own stdin to the runner, byte for byte, and does
 * what the runner tells it: one JSON object a line, each with one key.
 *
 * - `write`: bytes in base64 for stdout, in one write
 * - `stderr`: a line for stderr
 * - `close`: end stdout
 * - `exit`: exit with this code, after what stands before has been written
 *
 * Arguments: the runner's port on 127.0.0.1, a token, and `stubborn` to outlive the end of stdin and SIGTERM.
 */
import { createWriteStream } from "node:fs"
import { connect } from "node:net"

const [port, token, manner] = process.argv.slice(2)
const stubborn = manner === "stubborn"
const socket = connect(Number(port), "127.0.0.1")
// not process.stdout, which can never be closed
const stdout = createWriteStream("", { fd: 1 })
stdout.on("error", () => {})
socket.on("error", () => process.exit(70))
socket.on("close", () => process.exit(0))
socket.write(`${token}\n`)
process.stdin.on("data", (chunk) => socket.write(chunk))
process.stdin.on("end", () => {
  if (!stubborn) socket.end(() => process.exit(0))
})
// a stubborn one leaves when the runner lets go of it, or by SIGKILL
if (stubborn) process.on("SIGTERM", () => {})
const obey = (line: string): void => {
  const order: { write?: string; stderr?: string; close?: true; exit?: number } = JSON.parse(line)
  if (order.write !== undefined) stdout.write(Buffer.from(order.write, "base64"))
  if (order.stderr !== undefined) process.stderr.write(`${order.stderr}\n`)
  if (order.close === true) stdout.end()
  const { exit } = order
  if (exit !== undefined) stdout.end(() => process.exit(exit))
}

let rest = ""
socket.setEncoding("utf8")
socket.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n")
  rest = lines.pop() ?? ""
  for (const line of lines) obey(line)
})
