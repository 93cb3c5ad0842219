/**
 * A program between a client and its agent that does harm: `node FaultRelay.ts PORT SEED COMMAND ARGS…`, in the place of the
 * agent's command. Starts the agent, passes messages on as the plan of the seed has it, kills whom the plan names, and tells
 * a recorder all of it. See FaultRecord.
 */
import { spawn } from "node:child_process"
import { connect } from "node:net"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import * as FaultLane from "./FaultLane.ts"
import * as FaultPlan from "./FaultPlan.ts"
import { CALM_METHOD, type Entry } from "./FaultRecord.ts"

const [port = "", seed = "", command = "", ...args] = process.argv.slice(2)
const plan = FaultPlan.make(Number(seed))
const recorder = connect(Number(port), "127.0.0.1")
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] })
const clientPid = process.ppid

const record = (entry: Entry, then: () => void = () => undefined): void => {
  recorder.write(`${JSON.stringify(entry)}\n`, then)
}

// A side that is gone ends the other through the closed pipe; its errors say nothing new.
for (const stream of [agent.stdin, process.stdout, recorder]) stream.on("error", () => undefined)

record({ type: "started", relay: process.pid, agent: agent.pid ?? 0 })

let isClientKilled = false
const kill = ({ side, signal }: FaultPlan.Kill): void => {
  isClientKilled = side === "client"
  // Told first: a client that is told to end may end this process with it.
  record({ type: "kill", side, signal }, () => {
    if (side === "agent") agent.kill(signal)
    else process.kill(clientPid, signal)
  })
}

const laneTo = (direction: FaultPlan.Direction, output: NodeJS.WritableStream): FaultLane.FaultLane =>
  FaultLane.make({
    faultOf: (message) => plan.faultOf(direction, message),
    onTaken: (line, message, fault) => {
      record({ type: "taken", direction, message, line: line.toString("utf8"), ...(fault && { fault }) })
      if (plan.kill?.direction === direction && plan.kill.message === message) kill(plan.kill)
    },
    onDelivered: (line) => record({ type: "delivered", direction, line: line.toString("utf8") }),
    write: (bytes) => void output.write(bytes)
  })

const toAgent = laneTo("toAgent", agent.stdin)
const toClient = laneTo("toClient", process.stdout)

/** Calls with each line as bytes, without its line feed; what stands behind the last is no message. */
const eachLine = (input: Readable, take: (line: Buffer) => void): void => {
  let rest = Buffer.alloc(0)
  input.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      take(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
    }
  })
}

eachLine(process.stdin, (line) => {
  if (!line.includes(CALM_METHOD)) {
    if (!isClientKilled) toAgent.take(line)
    return
  }
  toAgent.calm()
  toClient.calm()
  record({ type: "calm" })
  const { id } = JSON.parse(line.toString("utf8"))
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`)
})
eachLine(agent.stdout, (line) => {
  if (!isClientKilled) toClient.take(line)
})
createInterface({ input: agent.stderr }).on("line", (line) => record({ type: "stderr", line }))
process.stdin.on("end", () => {
  record({ type: "clientEnded" })
  agent.stdin.end()
})
process.on("SIGTERM", () => agent.kill("SIGTERM"))

agent.on("close", (code, signal) => {
  record({ type: "agentEnded", exit: String(signal ?? code) })
  recorder.end(() => process.exit(code ?? 1))
})
