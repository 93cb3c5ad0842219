/**
 * How long a prompt is not answered after its `session/cancel`, with a peer that answers nothing: whole processes, real
 * pipes. Beside it, in the same run and the same process, what one request and its answer cost at all.
 */
import { createServer, type Server } from "node:http"
import type { Json } from "@acp-client-tools/protocol"
import * as AgentHome from "../AgentHome.ts"
import type * as RawClient from "../RawClient.ts"

export const ROUNDS = 200
const WARM_UP = 20

/** What was going on when the cancel came, with the times of its rounds in ms. */
export interface Measured {
  readonly during: string
  readonly cancel: ReadonlyArray<number>
  /** A request that does next to nothing. */
  readonly roundTrip: ReadonlyArray<number>
}

interface Case {
  readonly during: string
  readonly step: Json.JsonObject
  readonly config?: Json.JsonObject
  readonly model?: Json.JsonObject
  /** The message by which the agent shows that it waits. */
  readonly waits: (message: Json.JsonObject) => boolean
}

const calls = { toolCalls: [{ name: "client_silent", arguments: {} }] }
const isUpdate = ({ method }: Json.JsonObject): boolean => method === "session/update"

const cases = (baseUrl: string): ReadonlyArray<Case> => [
  { during: "a tool call", step: calls, config: { yolo: true }, waits: ({ method }) => method === "_bench/silent" },
  { during: "a permission question", step: calls, waits: ({ method }) => method === "session/request_permission" },
  {
    during: "an endless model stream",
    step: {},
    model: { provider: "openai-compatible", baseUrl, name: "endless" },
    waits: (message) => isUpdate(message) && JSON.stringify(message).includes("agent_message_chunk")
  }
]

/** A server of chat completions that has always more to say. */
const endlessServer = async (): Promise<Server> => {
  const chunk = { choices: [{ index: 0, delta: { content: "and " }, finish_reason: null }] }
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { "content-type": "text/event-stream" })
    const say = () => response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    say()
    const talking = setInterval(say, 5)
    response.on("close", () => clearInterval(talking))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return server
}

const elapsed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const cancelOnce = async (agent: RawClient.RawClient, sessionId: string, { waits }: Case): Promise<number> => {
  const turn = agent.prompt(sessionId)
  await agent.next(waits)
  const time = await elapsed(() => {
    agent.notify("session/cancel", { sessionId })
    return turn
  })
  if ((await turn) !== "cancelled") throw new Error("the turn was not cancelled")
  return time
}

const measureCase = async (one: Case): Promise<Measured> => {
  const rounds = WARM_UP + ROUNDS
  const steps = Array.from({ length: rounds }, () => one.step)
  await using home = await AgentHome.make(steps, one.config, one.model)
  await using agent = home.start()
  await agent.initialize({ "org.mini-me/tools": [{ name: "silent", method: "_bench/silent" }] })
  const sessionId = await agent.newSession()
  const option = { sessionId, configId: "yolo", value: one.config?.["yolo"] === true ? "on" : "off" }
  const cancel: Array<number> = []
  const roundTrip: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    cancel.push(await cancelOnce(agent, sessionId, one))
    roundTrip.push(await elapsed(() => agent.result("session/set_config_option", option)))
  }
  return { during: one.during, cancel: cancel.slice(WARM_UP), roundTrip: roundTrip.slice(WARM_UP) }
}

export const measure = async (): Promise<ReadonlyArray<Measured>> => {
  const server = await endlessServer()
  try {
    const address = server.address()
    const port = typeof address === "object" ? address?.port : undefined
    const measured: Array<Measured> = []
    for (const one of cases(`http://127.0.0.1:${port}/v1`)) measured.push(await measureCase(one))
    return measured
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
