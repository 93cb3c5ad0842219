/**
 * What may not be, whatever was done to a connection: a request without its one answer, an answer nobody asked for, a history
 * that lost a result, a trace on stderr, a process that is left, a step that hangs. Knows what the harness itself did. Judges
 * what FaultRun saw.
 */
import { Json } from "@acp-client-tools/protocol"
import type { Direction, Kill } from "./FaultPlan.ts"
import type { Entry } from "./FaultRecord.ts"
import type { Outcome } from "./FaultScenario.ts"
import type { Reopened } from "./Reopened.ts"

/** All that was seen of one run. */
export interface Seen {
  readonly entries: ReadonlyArray<Entry>
  /** `undefined` when the client was gone before its end. */
  readonly outcome: Outcome | undefined
  readonly clientStderr: ReadonlyArray<string>
  /** Processes that still run, in words. */
  readonly left: ReadonlyArray<string>
  /** Files that keep others from a session, though its owner has ended in peace. */
  readonly locks: ReadonlyArray<string>
  readonly sessions: ReadonlyArray<Reopened>
}

type Complaints = ReadonlyArray<string>
type Side = Kill["side"]

const messageOf = (line: string): Json.JsonObject => {
  const value = Json.parse(line)?.value
  return Json.isObject(value) ? value : {}
}

/** Ids are compared by type and value. */
const idOf = (message: Json.JsonObject): string | undefined => Json.stringify(message["id"])
const hasId = (message: Json.JsonObject): boolean => Object.hasOwn(message, "id")

const isId = (id: unknown): boolean => id === null || typeof id === "string" || Number.isSafeInteger(id)

/** A request that has to be answered; what a fault made of one may be, or may be refused without its id. */
const isRequest = (message: Json.JsonObject): boolean =>
  message["jsonrpc"] === "2.0" && typeof message["method"] === "string" && hasId(message) && isId(message["id"])

const isAnswer = (message: Json.JsonObject): boolean => hasId(message) && !Object.hasOwn(message, "method")

const otherWay: Record<Direction, Direction> = { toAgent: "toClient", toClient: "toAgent" }
const receiver: Record<Direction, Side> = { toAgent: "agent", toClient: "client" }

const messages = (entries: ReadonlyArray<Entry>, type: "taken" | "delivered", direction: Direction) =>
  entries.flatMap((entry) => (entry.type === type && entry.direction === direction ? [messageOf(entry.line)] : []))

const count = (ids: ReadonlyArray<string | undefined>): ReadonlyMap<string | undefined, number> => {
  const counts = new Map<string | undefined, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

const times = (n: number): string => (n === 1 ? "once" : `${n} times`)

const killed = (entries: ReadonlyArray<Entry>): Side | undefined => entries.find((entry) => entry.type === "kill")?.side

/** True when the connection was there to the end, and every answer is due. */
const isWhole = ({ entries, outcome }: Seen): boolean =>
  killed(entries) === undefined && outcome?.isConnected === true && entries.some(({ type }) => type === "calm")

/** Requests that went in a direction, and their answers. */
const answers = (seen: Seen, direction: Direction): Complaints => {
  const delivered = messages(seen.entries, "delivered", direction)
  const asked = count(delivered.filter(isRequest).map(idOf))
  // What is no message, or none any more, may be answered with its id, with `null`, or not at all.
  const odd = delivered.filter((message) => !isRequest(message) && !isAnswer(message) && !isNotification(message))
  const given = messages(seen.entries, "taken", otherWay[direction]).filter(isAnswer)
  const answered = count(given.map(idOf))
  const who = `the ${receiver[direction]}`
  const unasked = [...answered].flatMap(([id, number]) => {
    const allowed = (asked.get(id) ?? 0) + odd.filter((message) => id === "null" || idOf(message) === id).length
    if (number <= allowed) return []
    return allowed === 0
      ? [`${who} answered the request ${id}, which it never got`]
      : [`${who} answered the request ${id} ${times(number)}, and got it ${times(allowed)}`]
  })
  if (!isWhole(seen)) return unasked
  const unanswered = delivered.filter((message) => isRequest(message) && !answered.has(idOf(message)))
  return [
    ...unasked,
    ...unanswered.map((message) => `${who} never answered the request ${idOf(message)}, ${String(message["method"])}`)
  ]
}

const isNotification = (message: Json.JsonObject): boolean =>
  message["jsonrpc"] === "2.0" && typeof message["method"] === "string" && !hasId(message)

/** A line of a stack, also one that was escaped into one line with others. */
const TRACE = /(^|\\n)\s*at .+:\d+:\d+\)?/
const UNHANDLED =
  /unhandled|uncaught|fault of acp-client-tools|left behind by a tool|FiberFailure|MaxListeners|Warning:/i

const traces = (side: Side, lines: ReadonlyArray<string>): Complaints =>
  lines
    .filter((line) => TRACE.test(line) || UNHANDLED.test(line))
    .map((line) => `the ${side} wrote on stderr: ${line.slice(0, 300)}`)

const endings = ({ entries, left, locks, outcome }: Seen): Complaints => {
  const kill = entries.find((entry) => entry.type === "kill")
  const ended = entries.find((entry) => entry.type === "agentEnded")
  // One that was killed with its group, or whose witness was, has no exit code to tell.
  const isKilled = kill?.signal === "SIGKILL" && kill.side === "agent"
  const exit = ended === undefined || isKilled || ended.exit === "0" ? [] : [`the agent ended with ${ended.exit}`]
  const client =
    outcome === undefined && kill?.side !== "client" ? ["the client ended in the midst of its scenario"] : []
  const wasGone = outcome?.isConnected === true && kill === undefined && !entries.some(({ type }) => type === "calm")
  return [
    ...exit,
    ...client,
    ...(wasGone ? ["the connection ended, and nobody ended it"] : []),
    ...left.map((process) => `${process} is still running`),
    ...locks.map((lock) => `${lock} was left by an agent that ended in peace`)
  ]
}

const steps = (seen: Seen): Complaints => {
  const { outcome } = seen
  if (outcome === undefined) return []
  const hanging = outcome.hanging.map((name) => `the step "${name}" never ended`)
  return isWhole(seen) && outcome.afterwards !== "end_turn"
    ? [...hanging, `a prompt after all faults ended with ${outcome.afterwards}, not end_turn`]
    : hanging
}

/** A session's tool calls as an agent told them: their ids in order, and the ends of each. */
const toldCalls = (updates: ReadonlyArray<Json.JsonObject>) => {
  const calls = new Map<unknown, Array<Json.JsonObject>>()
  const faults: Array<string> = []
  for (const update of updates) {
    const { sessionUpdate, status, toolCallId } = update
    if (sessionUpdate === "tool_call") {
      if (calls.has(toolCallId)) faults.push(`the call ${String(toolCallId)} is told twice`)
      calls.set(toolCallId, [])
    }
    if (sessionUpdate !== "tool_call_update" || (status !== "completed" && status !== "failed")) continue
    const ends = calls.get(toolCallId)
    if (ends === undefined) faults.push(`the call ${String(toolCallId)} has a result and was never made`)
    else ends.push(update)
  }
  for (const [id, ends] of calls) {
    if (ends.length !== 1) faults.push(`the call ${String(id)} has ${ends.length} results`)
  }
  return { calls, faults }
}

const idsOf = (list: unknown): ReadonlyArray<unknown> =>
  Array.isArray(list) ? list.map((item: unknown) => Json.get(item, "id")) : []

/** The messages a model is sent: behind each answer with calls, the results of exactly these, in order. */
const pairs = (sent: ReadonlyArray<unknown>): Complaints => {
  const faults: Array<string> = []
  sent.forEach((message, at) => {
    const ids = JSON.stringify(idsOf(Json.get(message, "toolCalls")))
    const role = Json.get(message, "role")
    const next = sent[at + 1]
    const results = Json.get(next, "role") === "tool" ? JSON.stringify(idsOf(Json.get(next, "results"))) : "[]"
    if (role === "assistant" && ids !== results) faults.push(`the calls ${ids} are followed by the results ${results}`)
    if (role === "tool" && Json.get(sent[at - 1], "role") !== "assistant") faults.push("results follow no answer")
  })
  return faults
}

/** The results in a session's file: at most one for a call, and behind it. */
const kept = (lines: ReadonlyArray<string>): Complaints => {
  const faults: Array<string> = []
  const results = new Map<unknown, number>()
  lines.forEach((line, at) => {
    const entry = Json.parse(line)
    if (entry === undefined && line !== "" && at < lines.length - 1) faults.push(`line ${at + 1} is torn`)
    const calls = Json.get(entry?.value, "toolCalls")
    if (Array.isArray(calls)) for (const call of calls) results.set(Json.get(call, "toolCallId"), 0)
    if (Json.get(entry?.value, "type") !== "result") return
    const id = Json.get(entry?.value, "toolCallId")
    const number = results.get(id)
    if (number === undefined) faults.push(`line ${at + 1} is the result of ${String(id)}, which was not called`)
    else if (number > 0) faults.push(`line ${at + 1} is another result of ${String(id)}`)
    results.set(id, (number ?? 0) + 1)
  })
  return faults
}

const textOf = (update: Json.JsonObject | undefined): string | undefined =>
  Json.stringify([update?.["status"], update?.["content"]])

/** What the agent showed of a session while it ran is what it tells of it later. */
const shown = (entries: ReadonlyArray<Entry>, sessionId: string, updates: ReadonlyArray<Json.JsonObject>) => {
  const { calls } = toldCalls(updates)
  return messages(entries, "taken", "toClient").flatMap(({ params }) => {
    const update = Json.get(params, "update")
    if (Json.get(params, "sessionId") !== sessionId || !Json.isObject(update)) return []
    if (update["status"] !== "completed" && update["status"] !== "failed") return []
    const [end] = calls.get(update["toolCallId"]) ?? []
    return textOf(end) === textOf(update)
      ? []
      : [`the call ${String(update["toolCallId"])} was shown as ${textOf(update)} and is told as ${textOf(end)}`]
  })
}

const history = ({ entries }: Seen, { lines, messages: sent, problem, sessionId, updates }: Reopened): Complaints =>
  [
    ...(problem === undefined ? pairs(sent) : [problem]),
    ...toldCalls(updates).faults,
    ...kept(lines),
    ...(problem === undefined ? shown(entries, sessionId, updates) : [])
  ].map((fault) => `session ${sessionId}: ${fault}`)

/** Sessions the agent opened and, as far as it was told to, did not delete. */
const lost = ({ entries, sessions }: Seen): Complaints => {
  const there = new Set<unknown>(sessions.map(({ sessionId }) => sessionId))
  const deleted = new Set(
    messages(entries, "delivered", "toAgent")
      .filter(({ method }) => method === "session/delete")
      .map(({ params }) => Json.get(params, "sessionId"))
  )
  return messages(entries, "taken", "toClient").flatMap(({ result }) => {
    const sessionId = Json.get(result, "sessionId")
    const isLost = typeof sessionId === "string" && !there.has(sessionId) && !deleted.has(sessionId)
    return isLost ? [`session ${sessionId} was opened and is not there any more`] : []
  })
}

/** Everything that is wrong with a run; empty when nothing is. */
export const complaints = (seen: Seen): Complaints => [
  ...answers(seen, "toAgent"),
  ...answers(seen, "toClient"),
  ...traces(
    "agent",
    seen.entries.flatMap((entry) => (entry.type === "stderr" ? [entry.line] : []))
  ),
  ...traces("client", seen.clientStderr),
  ...endings(seen),
  ...steps(seen),
  ...seen.sessions.flatMap((session) => history(seen, session)),
  ...lost(seen)
]
