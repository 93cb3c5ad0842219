/**
 * A thousand sessions of one connection, 64 turns at once, every answer with the mark of its session: what is said in a
 * session must have its own marks, and nobody else's. Run by `pnpm soak`.
 */
import { randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import type { ToolDefinition } from "@acp-client-tools/client"
import { type AgentConnection, allow, type Session, startAgent } from "@acp-client-tools/client/promise"
import type { Discovery } from "@acp-client-tools/protocol"
import * as AgentHome from "../AgentHome.ts"

export interface Load {
  readonly sessions: number
  readonly turnsAtOnce: number
}

export const standard: Load = { sessions: 1_000, turnsAtOnce: 64 }

export interface Measured extends Load {
  readonly title: string
  readonly calls: number
  /** From the first `session/new` to the last answer, in ms. */
  readonly opening: number
  readonly turns: number
  readonly closing: number
  /** Of each turn, in ms. */
  readonly turn: ReadonlyArray<number>
  readonly complaints: ReadonlyArray<string>
}

const call = (n: number) => ({ name: "client_mark", arguments: { n } })

/** Three calls at once, then one more, then the results. */
const script = [{ toolCalls: [call(1), call(2), call(3)] }, { toolCalls: [call(4)] }, { text: "{{toolResults}}" }]
const CALLS_OF_A_TURN = 4

const MARK = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** A mark for each session, which no other can guess. */
const makeMarks = () => {
  const marks = new Map<string, string>()
  return (sessionId: string): string => {
    const mark = marks.get(sessionId) ?? randomUUID()
    marks.set(sessionId, mark)
    return mark
  }
}
type MarkOf = ReturnType<typeof makeMarks>

/** Answers with the mark of the session, sooner or later: answers do not come in the order of their requests. */
const markTool = (markOf: MarkOf, onlyIn?: string): ToolDefinition => ({
  name: "mark",
  inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: async ({ n }: { readonly n: number }, { sessionId }) => {
    await delay(Math.random() * 5)
    if (onlyIn !== undefined && sessionId !== onlyIn)
      throw new Error(`the tool of ${onlyIn} was called in ${sessionId}`)
    return `${n}:${markOf(sessionId)}`
  }
})

/** Does the work for all, so many at a time. */
const eachOf = async <A>(all: ReadonlyArray<A>, atOnce: number, work: (one: A) => Promise<void>): Promise<void> => {
  const waiting = all[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const one of waiting) await work(one)
    })
  )
}

/** One turn; what is wrong with it. */
const turn = async (session: Session, mark: string): Promise<string | undefined> => {
  const events: Array<unknown> = []
  let said = ""
  let stopped: string | undefined
  for await (const event of session.stream("Go")) {
    events.push(event)
    if (event.type === "stop") stopped = event.stopReason
    else if (event.update.sessionUpdate === "agent_message_chunk" && event.update.content.type === "text") {
      said += event.update.content.text
    }
  }
  const marks = new Set(JSON.stringify(events).match(MARK))
  if (marks.size !== 1 || !marks.has(mark))
    return `${session.sessionId} saw the marks ${[...marks].join(" ")}, not ${mark}`
  if (said !== [1, 2, 3, 4].map((n) => `${n}:${mark}`).join("\n")) {
    return `${session.sessionId} said ${JSON.stringify(said)}`
  }
  return stopped === "end_turn" ? undefined : `${session.sessionId} stopped with ${stopped}`
}

const elapsed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const measureOn = async (
  connection: AgentConnection,
  { sessions, turnsAtOnce }: Load,
  markOf: MarkOf
): Promise<Omit<Measured, "title">> => {
  const open: Array<Session> = []
  const complaints: Array<string> = []
  const times: Array<number> = []
  const all = Array.from({ length: sessions })
  const opening = await elapsed(() =>
    eachOf(all, turnsAtOnce, async () => void open.push(await connection.newSession("/")))
  )
  const turns = await elapsed(() =>
    eachOf(open, turnsAtOnce, async (session) => {
      const start = performance.now()
      const complaint = await turn(session, markOf(session.sessionId))
      times.push(performance.now() - start)
      if (complaint !== undefined) complaints.push(complaint)
    })
  )
  const closing = await elapsed(() => eachOf(open, turnsAtOnce, (session) => session.close()))
  if (new Set(open.map(({ sessionId }) => sessionId)).size !== sessions) complaints.push("two sessions have one id")
  return { sessions, turnsAtOnce, calls: sessions * CALLS_OF_A_TURN, opening, turns, closing, turn: times, complaints }
}

const modes: ReadonlyArray<{ readonly title: string; readonly discovery: Discovery.Mode; readonly yolo: boolean }> = [
  { title: "tools told in initialize, every call asks", discovery: "meta", yolo: false },
  { title: "each session has tools of its own, no call asks", discovery: "request", yolo: true }
]

export const measure = async (load: Load = standard): Promise<ReadonlyArray<Measured>> => {
  const measured: Array<Measured> = []
  for (const { discovery, title, yolo } of modes) {
    await using home = await AgentHome.make(script, { yolo, acp: { clientTools: { discovery } } })
    const markOf = makeMarks()
    await using connection = await startAgent(home.command.command, home.command.args, {
      tools: discovery === "meta" ? [markTool(markOf)] : ({ sessionId }) => [markTool(markOf, sessionId)],
      permission: allow,
      stderr: "ignore"
    })
    measured.push({ title, ...(await measureOn(connection, load, markOf)) })
  }
  return measured
}
