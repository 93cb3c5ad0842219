/** The loop detector in a whole agent: what the model and the editor read, and what the history keeps. */
import type { Json } from "@acp-client-tools/protocol"
import { expect, it } from "vitest"
import * as AgentHome from "../src/AgentHome.ts"
import * as RawClient from "../src/RawClient.ts"
import * as Wire from "../src/Wire.ts"

const tools = { "org.mini-me/tools": [{ name: "a", method: "_t/a", inputSchema: { required: ["q"] } }] }
const call = (args: Json.JsonObject) => ({ name: "client_a", arguments: args })
const times = (n: number, args: Json.JsonObject = { q: 1 }) => Array.from({ length: n }, () => call(args))

const note = (n: number) =>
  `\n[client_a was called with the same arguments and gave this same answer ${n === 1 ? "1 time" : `${n} times`} in this turn]`
const stopped = (n: number) =>
  `I stopped: client_a was called with the same arguments and gave the same answer ${n} times. Tell me how to go on.`

/** The texts of the ends of all calls, in the order they ended. */
const ends = (updates: ReadonlyArray<Json.JsonObject>): ReadonlyArray<string> =>
  updates.filter(({ status }) => status === "completed" || status === "failed").map(Wire.updateText)

it("identical calls of one answer and of several are flagged from the third on, and the fifth stops the turn [LOOP-1.c LOOP-2.a LOOP-2.b LOOP-2.c LOOP-2.e LOOP-2.f]", async () => {
  await using home = await AgentHome.make(
    [{ toolCalls: times(2) }, { toolCalls: [call({ q: 2 }), ...times(2)] }, { toolCalls: times(1) }, { text: "no" }],
    { yolo: true }
  )
  await using agent = home.start({ answers: { "_t/a": () => "same" } })
  await agent.initialize(tools)
  const sessionId = await agent.newSession()
  expect(await agent.prompt(sessionId)).toBe("max_turn_requests")
  const updates = agent.updates(sessionId)
  expect(ends(updates)).toEqual(["same", "same", "same", `same${note(3)}`, `same${note(4)}`, `same${note(5)}`])
  expect(RawClient.said(updates)).toBe(stopped(5))
  expect(updates.at(-1)).toMatchObject({ sessionUpdate: "agent_message_chunk" })
})

it("a stopped turn leaves each call its result and the agent's words, and the next prompt works [LOOP-2.d LOOP-2.e TURN-3.e]", async () => {
  await using home = await AgentHome.make([{ toolCalls: times(3) }, { text: "{{messages}}" }], {
    yolo: true,
    loopDetector: { flagAfter: 1, stopAfter: 2 }
  })
  await using agent = home.start({ answers: { "_t/a": () => "same" } })
  await agent.initialize(tools)
  const sessionId = await agent.newSession()
  expect(await agent.prompt(sessionId, "Go")).toBe("max_turn_requests")
  const before = agent.updates(sessionId).length
  await agent.result("session/load", { sessionId, cwd: "/", mcpServers: [] })
  expect(RawClient.said(agent.updates(sessionId).slice(before))).toBe(stopped(3))
  const loaded = agent.updates(sessionId).length
  expect(await agent.prompt(sessionId, "And?")).toBe("end_turn")
  const results = [1, 2, 3].map((n) => expect.objectContaining({ text: `same${note(n)}`, failed: false }))
  expect(JSON.parse(RawClient.said(agent.updates(sessionId).slice(loaded)))).toEqual([
    { role: "user", text: "Go" },
    expect.objectContaining({ role: "assistant" }),
    { role: "tool", results },
    { role: "assistant", text: stopped(3), toolCalls: [] },
    { role: "user", text: "And?" }
  ])
})

it("calls that failed, were refused or never left the agent are counted too [LOOP-1.d OWN-1.d]", async () => {
  const none = (n: number) => Array.from({ length: n }, () => ({ name: "none", arguments: {} }))
  await using home = await AgentHome.make(
    [{ toolCalls: times(2, {}) }, { toolCalls: none(2) }, { toolCalls: times(2) }, { text: "done" }],
    { loopDetector: { flagAfter: 2, stopAfter: 9 } }
  )
  const rejecting = { outcome: { outcome: "selected", optionId: "reject" } }
  await using agent = home.start({ answers: { "session/request_permission": () => rejecting } })
  await agent.initialize(tools)
  const sessionId = await agent.newSession()
  expect(await agent.prompt(sessionId)).toBe("end_turn")
  const missing = "[client tool error: missing required parameters: q]"
  const unknown = "[client tool error: unknown tool none]"
  const refused = "[client_a rejected by user]"
  expect(ends(agent.updates(sessionId))).toEqual([
    missing,
    `${missing}${note(2)}`,
    unknown,
    `${unknown}${note(2).replace("client_a", "none")}`,
    refused,
    `${refused}${note(2)}`
  ])
})

it("turns and sessions share no count [LOOP-1.c LOOP-1.e]", async () => {
  await using home = await AgentHome.make(
    [{ toolCalls: times(2) }, { text: "x" }, { toolCalls: times(2) }, { text: "y" }],
    {
      yolo: true,
      loopDetector: { flagAfter: 3, stopAfter: 3 }
    }
  )
  await using agent = home.start({ answers: { "_t/a": () => "same" } })
  await agent.initialize(tools)
  const sessions = [await agent.newSession(), await agent.newSession()]
  expect(await Promise.all(sessions.map((sessionId) => agent.prompt(sessionId)))).toEqual(["end_turn", "end_turn"])
  for (const sessionId of sessions) {
    expect(await agent.prompt(sessionId)).toBe("end_turn")
    expect(ends(agent.updates(sessionId))).toEqual(Array(4).fill("same"))
  }
})

it("a polling model whose answer changes goes on [LOOP-3.a]", async () => {
  await using home = await AgentHome.make(
    [...times(20).map((polling) => ({ toolCalls: [polling] })), { text: "done" }],
    {
      yolo: true
    }
  )
  let polled = 0
  await using agent = home.start({ answers: { "_t/a": () => `${++polled} of 20` } })
  await agent.initialize(tools)
  const sessionId = await agent.newSession()
  expect(await agent.prompt(sessionId)).toBe("end_turn")
  expect(ends(agent.updates(sessionId)).at(-1)).toBe("20 of 20")
})

it("the note counts against maxOutput, and long answers are told apart by their middle [LOOP-1.b LOOP-2.b]", async () => {
  await using home = await AgentHome.make(
    [{ toolCalls: times(1) }, { toolCalls: times(1) }, { toolCalls: times(1) }, { text: "x" }],
    {
      yolo: true,
      maxOutput: 300,
      loopDetector: { flagAfter: 2, stopAfter: 9 }
    }
  )
  const long = (middle: string) => `${"h".repeat(2_000_000)}${middle}${"t".repeat(2_000_000)}`
  const answers = [long("1"), long("2"), long("2")]
  await using agent = home.start({ answers: { "_t/a": () => answers.shift() } })
  await agent.initialize(tools)
  const sessionId = await agent.newSession()
  await agent.prompt(sessionId)
  const [one, two, three] = ends(agent.updates(sessionId))
  expect(two).toBe(one)
  expect(three?.endsWith(`t${note(2)}`)).toBe(true)
  expect(Array.from(three ?? "")).toHaveLength(300)
})

it("no arguments, null, an empty text and {} are the same call, as they are on the wire [LOOP-1.a]", async () => {
  const calls = [{}, { arguments: null }, { argumentsText: "" }, { arguments: {} }].map((args) => ({
    name: "client_b",
    ...args
  }))
  await using home = await AgentHome.make([{ toolCalls: calls }, { text: "x" }], {
    yolo: true,
    loopDetector: { flagAfter: 4, stopAfter: 9 }
  })
  await using agent = home.start({ answers: { "_t/b": () => "same" } })
  await agent.initialize({ "org.mini-me/tools": [{ name: "b", method: "_t/b" }] })
  const sessionId = await agent.newSession()
  await agent.prompt(sessionId)
  expect(ends(agent.updates(sessionId)).filter((text) => text !== "same")).toHaveLength(1)
})
