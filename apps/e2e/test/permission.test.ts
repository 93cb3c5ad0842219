import { Json } from "@acp-client-tools/protocol"
import { expect, it } from "vitest"
import * as AgentHome from "../src/AgentHome.ts"
import * as Pair from "../src/Pair.ts"
import * as RawClient from "../src/RawClient.ts"
import * as Wire from "../src/Wire.ts"

const tools = [{ name: "open buffers", method: "_t/a", behaviour: { return: "ran" } }]
const script = [{ toolCalls: [{ name: "client_open_buffers", arguments: { n: 1 } }] }, { text: "{{toolResults}}" }]

it("an allowed call goes pending, question, in_progress, request, end [PERM-1.b PERM-1.c PERM-1.d PERM-1.e PERM-2.a PERM-2.b]", async () => {
  const { said, wire } = await Pair.run({ tools, script, args: ["--permission", "allow"] })
  const [question] = Wire.ofMethod(wire, "session/request_permission")
  const shown = Json.get(question?.message["params"], "toolCall")
  expect(shown).toMatchObject({ title: "client: open buffers", kind: "other", status: "pending", rawInput: { n: 1 } })
  const id = Json.get(shown, "toolCallId")
  const steps = wire.flatMap((one) => {
    const update = Wire.updateOf(one)
    if (update["toolCallId"] === id) return [update["status"]]
    return one === question || one.message["method"] === "_t/a" ? [one.message["method"]] : []
  })
  expect(steps).toEqual(["pending", "session/request_permission", "in_progress", "_t/a", "completed"])
  expect(said).toBe("ran")
})

it("a refused call reaches no handler, and the turn goes on [PERM-4.b PERM-4.d CLI-3.b]", async () => {
  const { exitCode, said, wire } = await Pair.run({ tools, script, args: ["--permission", "deny"] })
  expect(Wire.ofMethod(wire, "_t/a")).toEqual([])
  expect({ exitCode, said }).toEqual({ exitCode: 0, said: "[client_open_buffers rejected by user]" })
})

it("with yolo nobody is asked, unless the agent file says that every call asks [PERM-1.a PERM-1.b]", async () => {
  const quiet = await Pair.run({ config: { yolo: true }, tools, script })
  expect(Wire.ofMethod(quiet.wire, "session/request_permission")).toEqual([])
  const asking = await Pair.run({
    config: { yolo: true, acp: { clientTools: { permissions: "ask" } } },
    tools,
    script,
    args: ["--permission", "allow"]
  })
  expect(Wire.ofMethod(asking.wire, "session/request_permission")).toHaveLength(1)
})

/** A session of an agent that calls one tool in every turn, and whose client answers every question with `optionId`. */
const asked = async (optionId: string, prompts: number) => {
  const steps = Array.from({ length: prompts }, () => [
    { toolCalls: [{ name: "client_a", arguments: {} }] },
    { text: "{{toolResults}}" }
  ]).flat()
  const home = await AgentHome.make(steps)
  const answer = { outcome: { outcome: "selected", optionId } }
  const agent = home.start({ answers: { "session/request_permission": () => answer, "_t/a": () => "ran" } })
  await agent.initialize({ "org.mini-me/tools": [{ name: "a", method: "_t/a" }] })
  return {
    agent,
    sessionId: await agent.newSession(),
    questions: () => agent.received.filter(({ method }) => method === "session/request_permission").length,
    [Symbol.asyncDispose]: async () => {
      await agent[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    }
  }
}

it("what was allowed for the session outlives a load, and not a close [PERM-3.c PERM-3.d]", async () => {
  await using session = await asked("allow_always", 4)
  const { agent, questions, sessionId } = session
  const opening = { sessionId, cwd: "/", mcpServers: [] }
  await agent.prompt(sessionId)
  await agent.prompt(sessionId)
  await agent.result("session/load", opening)
  await agent.prompt(sessionId)
  expect(questions()).toBe(1)
  await agent.result("session/close", { sessionId })
  await agent.result("session/resume", opening)
  await agent.prompt(sessionId)
  expect(questions()).toBe(2)
  expect(RawClient.said(agent.updates(sessionId))).toContain("ran")
})

it("a close ends a question that waits, and the call did not start [PERM-5.c PERM-5.d SESS-3.a SESS-3.b]", async () => {
  const home = await AgentHome.make([{ toolCalls: [{ name: "client_a", arguments: {} }] }])
  await using agent = home.start()
  await agent.initialize({ "org.mini-me/tools": [{ name: "a", method: "_t/a" }] })
  const sessionId = await agent.newSession()
  const turn = agent.prompt(sessionId)
  const question = await agent.next(({ method }) => method === "session/request_permission")
  await agent.result("session/close", { sessionId })
  expect(await turn).toBe("cancelled")
  const answers = agent.received.flatMap(({ id, result }) => (id !== undefined && result !== undefined ? [result] : []))
  expect(answers.slice(-2)).toEqual([{ stopReason: "cancelled" }, {}])
  const cancels = agent.received.filter(({ method }) => method === "$/cancel_request")
  expect(cancels.map(({ params }) => params)).toEqual([{ requestId: question["id"] }])
  expect(JSON.stringify(agent.updates(sessionId).at(-1))).toContain("[client tool error: not started]")
  await home[Symbol.asyncDispose]()
})

it("a tool of the same name and another method was not allowed [PERM-3.c REQ-8.a]", async () => {
  await using home = await AgentHome.make(
    Array.from({ length: 3 }, () => [{ toolCalls: [{ name: "client_a", arguments: {} }] }, { text: "done" }]).flat(),
    { acp: { clientTools: { discovery: "request" } } }
  )
  let method = "_t/one"
  await using agent = home.start({
    answers: {
      "_org.mini-me/tools/list": () => ({ tools: [{ name: "a", method }] }),
      "session/request_permission": () => ({ outcome: { outcome: "selected", optionId: "allow_always" } }),
      "_t/one": () => "ran",
      "_t/two": () => "ran"
    }
  })
  const questions = () => agent.received.filter((message) => message["method"] === "session/request_permission").length
  await agent.initialize({ "org.mini-me/tools": true })
  const sessionId = await agent.newSession()
  const reload = () => agent.result("session/load", { sessionId, cwd: "/", mcpServers: [] })
  await agent.prompt(sessionId)
  await reload()
  await agent.prompt(sessionId)
  expect(questions()).toBe(1)
  method = "_t/two"
  await reload()
  await agent.prompt(sessionId)
  expect(questions()).toBe(2)
})
