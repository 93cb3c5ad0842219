/** Twenty runs with faults between the two processes, the same each time, and what would be told of a run that went wrong. */
import { Json } from "@acp-client-tools/protocol"
import { beforeAll, describe, expect, it } from "vitest"
import * as FaultPlan from "../src/soak/FaultPlan.ts"
import type { Entry } from "../src/soak/FaultRecord.ts"
import * as FaultRun from "../src/soak/FaultRun.ts"
import * as Faults from "../src/soak/Faults.ts"
import * as Oracle from "../src/soak/Oracle.ts"

const seeds = Array.from({ length: 20 }, (_, n) => n + 1)

const outcomes: Array<FaultRun.Outcome> = []
beforeAll(() => Faults.run(seeds, 4, (outcome) => outcomes.push(outcome)), 120_000)

describe("twenty runs with faults", () => {
  it("answer each request once or close, keep a valid history, hang nowhere and leave nothing running [TURN-3.a SESS-4.a CLIENT-8.b]", () => {
    expect(outcomes).toHaveLength(seeds.length)
    const told = outcomes.flatMap(({ complaints, plan }) =>
      complaints.map((complaint) => `${FaultPlan.describe(plan)}: ${complaint}`)
    )
    expect(told).toEqual([])
  })

  it("drop, delay, duplicate, reorder, truncate and corrupt in both directions, and kill both sides", () => {
    const struck = new Set(outcomes.flatMap((outcome) => [...FaultRun.tally(outcome).keys()]))
    const expected = FaultPlan.kinds.flatMap((kind) => [`${kind} toAgent`, `${kind} toClient`])
    expect([...struck]).toEqual(expect.arrayContaining(expected))
    for (const side of ["agent", "client"]) expect([...struck].join()).toContain(`kill the ${side}`)
  })

  it("are decided by their seed alone", () => {
    const faults = (seed: number) =>
      (["toAgent", "toClient"] as const).map((direction) =>
        Array.from({ length: 200 }, (_, message) => FaultPlan.make(seed).faultOf(direction, message))
      )
    expect(faults(7)).toEqual(faults(7))
    expect(faults(7)).not.toEqual(faults(8))
    for (const { plan, seen } of outcomes) {
      for (const entry of seen.entries) {
        if (entry.type === "taken" && entry.fault !== undefined) {
          expect(entry.fault).toEqual(FaultPlan.make(plan.seed).faultOf(entry.direction, entry.message))
        }
      }
    }
  })
})

describe("a run that went wrong is told:", () => {
  /** A run to its end in which tools were called. */
  const whole = (): Oracle.Seen => {
    const found = outcomes.find(
      ({ seen }) =>
        seen.outcome?.afterwards === "end_turn" &&
        seen.sessions.some(({ messages }) => messages.length > 4) &&
        toClient(seen.entries).some(isAnswer)
    )
    if (found === undefined) throw new Error("no run came to its end")
    return found.seen
  }
  const valueOf = (line: string): unknown => Json.parse(line)?.value
  const toClient = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> =>
    entries.flatMap((entry) => (entry.type === "taken" && entry.direction === "toClient" ? [entry.line] : []))
  const isAnswer = (line: string): boolean => Json.get(Json.get(valueOf(line), "result"), "stopReason") !== undefined
  const isAnswerEntry = (entry: Entry): boolean =>
    entry.type === "taken" && entry.direction === "toClient" && isAnswer(entry.line)

  /** The first entry of a kind, changed into others. */
  const withEntry = (
    seen: Oracle.Seen,
    which: (entry: Entry) => boolean,
    change: (entry: Entry) => ReadonlyArray<Entry>
  ): Oracle.Seen => {
    const at = seen.entries.findLastIndex(which)
    if (at < 0) throw new Error("there is no such entry")
    return { ...seen, entries: seen.entries.flatMap((entry, index) => (index === at ? change(entry) : [entry])) }
  }
  /** The session with the most messages, changed. */
  const withSession = (
    seen: Oracle.Seen,
    change: (session: Oracle.Seen["sessions"][number]) => Partial<Oracle.Seen["sessions"][number]>
  ): Oracle.Seen => {
    const [first] = seen.sessions.toSorted((a, b) => b.messages.length - a.messages.length)
    return {
      ...seen,
      sessions: seen.sessions.map((session) => (session === first ? { ...session, ...change(session) } : session))
    }
  }
  const isTerminal = (update: Json.JsonObject): boolean =>
    update["status"] === "completed" || update["status"] === "failed"
  const stderr = (line: string): Entry => ({ type: "stderr", line })

  const wrongs: ReadonlyArray<readonly [string, (seen: Oracle.Seen) => Oracle.Seen, RegExp]> = [
    ["a request without an answer", (seen) => withEntry(seen, isAnswerEntry, () => []), /never answered the request/],
    [
      "an answer given twice",
      (seen) => withEntry(seen, isAnswerEntry, (entry) => [entry, entry]),
      /times, and got it once/
    ],
    [
      "an answer that nobody asked for",
      (seen) => ({
        ...seen,
        entries: [
          ...seen.entries,
          { type: "taken", direction: "toAgent", message: 1e6, line: '{"jsonrpc":"2.0","id":"x","result":{}}' }
        ]
      }),
      /the client answered the request "x", which it never got/
    ],
    [
      "a stack trace",
      (seen) => ({ ...seen, entries: [...seen.entries, stderr("    at run (file.js:1:2)")] }),
      /the agent wrote on stderr/
    ],
    [
      "an unhandled rejection",
      (seen) => ({ ...seen, clientStderr: ["Unhandled promise rejection"] }),
      /the client wrote on stderr/
    ],
    ["a process that is left", (seen) => ({ ...seen, left: ["the agent"] }), /the agent is still running/],
    ["a lock that is left", (seen) => ({ ...seen, locks: ["a.lock"] }), /a\.lock was left/],
    [
      "an exit code",
      (seen) =>
        withEntry(
          seen,
          ({ type }) => type === "agentEnded",
          () => [{ type: "agentEnded", exit: "1" }]
        ),
      /the agent ended with 1/
    ],
    [
      "a connection that nobody ended",
      (seen) =>
        withEntry(
          seen,
          ({ type }) => type === "calm",
          () => []
        ),
      /the connection ended, and nobody ended it/
    ],
    ["a client that ended", (seen) => ({ ...seen, outcome: undefined }), /the client ended in the midst/],
    [
      "a step that hangs",
      (seen) => ({ ...seen, outcome: { isConnected: true, hanging: ["load"], afterwards: "end_turn" } }),
      /the step "load" never ended/
    ],
    [
      "a connection of no use afterwards",
      (seen) => ({ ...seen, outcome: { isConnected: true, hanging: [], afterwards: "none" } }),
      /after all faults ended with none/
    ],
    ["a session that is lost", (seen) => ({ ...seen, sessions: [] }), /was opened and is not there any more/],
    [
      "a session that cannot be opened",
      (seen) => withSession(seen, () => ({ problem: "it is broken" })),
      /it is broken/
    ],
    [
      "results that the model is not sent",
      (seen) =>
        withSession(seen, ({ messages }) => ({
          messages: messages.filter((message) => Json.get(message, "role") !== "tool")
        })),
      /are followed by the results \[\]/
    ],
    [
      "a call without an end",
      (seen) => withSession(seen, ({ updates }) => ({ updates: updates.filter((update) => !isTerminal(update)) })),
      /has 0 results/
    ],
    [
      "a call with two ends",
      (seen) =>
        withSession(seen, ({ updates }) => ({
          updates: updates.flatMap((update) => (isTerminal(update) ? [update, update] : [update]))
        })),
      /has 2 results/
    ],
    [
      "a result without a call",
      (seen) =>
        withSession(seen, ({ updates }) => ({
          updates: updates.filter(({ sessionUpdate }) => sessionUpdate !== "tool_call")
        })),
      /was never made/
    ],
    [
      "a result other than the one that was shown",
      (seen) =>
        withSession(seen, ({ updates }) => ({
          updates: updates.map((update) => (isTerminal(update) ? { ...update, content: [] } : update))
        })),
      /was shown as/
    ],
    [
      "a torn line within a file",
      (seen) => withSession(seen, ({ lines }) => ({ lines: ["{", ...lines] })),
      /line 1 is torn/
    ],
    [
      "a result kept twice",
      (seen) =>
        withSession(seen, ({ lines }) => ({
          lines: lines.flatMap((line) => (Json.get(valueOf(line), "type") === "result" ? [line, line] : [line]))
        })),
      /is another result of/
    ]
  ]

  it.for(wrongs)("%s", ([, change, complaint]) => {
    expect(Oracle.complaints(whole())).toEqual([])
    expect(Oracle.complaints(change(whole())).join("\n")).toMatch(complaint)
  })
})
