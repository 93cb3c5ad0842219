import { Json } from "@acp-client-tools/protocol"
import { describe, expect, it } from "vitest"
import * as AgentHome from "../src/AgentHome.ts"
import * as Pair from "../src/Pair.ts"
import * as Wire from "../src/Wire.ts"

it("a client's tool goes through the whole pipeline: check, permission, timeout, decode, cut, report [OWN-1.a]", async () => {
  const { said, wire } = await Pair.run({
    config: { maxOutput: 60, acp: { clientTools: { timeout: "250ms" } } },
    tools: [
      {
        name: "long",
        inputSchema: { required: ["q"] },
        behaviour: { return: { content: [{ type: "image" }, { type: "text", text: "x".repeat(90) }] } }
      },
      { name: "slow", behaviour: { never: true } }
    ],
    args: ["--permission", "allow"],
    script: [
      {
        toolCalls: [
          { name: "client_long", arguments: {} },
          { name: "client_long", arguments: { q: 1 } },
          { name: "client_slow", arguments: {} }
        ]
      },
      { text: "{{toolResults}}" }
    ]
  })
  expect(Wire.ofMethod(wire, "session/request_permission")).toHaveLength(2)
  const ends = Wire.updates(wire).filter(({ status }) => status === "completed" || status === "failed")
  expect(ends.filter(({ status }) => status === "failed")).toHaveLength(2)
  expect(ends).toHaveLength(3)
  for (const end of ends) {
    const text = Wire.updateText(end)
    expect(said).toContain(text)
    expect(Array.from(text).length).toBeLessThanOrEqual(60)
  }
})

describe("the config option yolo", () => {
  const calls = { toolCalls: [{ name: "client_a", arguments: {} }] }
  const tools = { "org.mini-me/tools": [{ name: "a", method: "_t/a" }] }

  const open = async (config: Json.JsonObject, capabilities: Json.JsonObject = {}) => {
    const home = await AgentHome.make([calls, { text: "1" }, calls, { text: "2" }, calls, { text: "3" }], config)
    const reject = { outcome: { outcome: "selected", optionId: "reject" } }
    const agent = home.start({ answers: { "session/request_permission": () => reject, "_t/a": () => "ran" } })
    await agent.result("initialize", { protocolVersion: 1, clientCapabilities: { _meta: tools, ...capabilities } })
    const opened = await agent.result("session/new", { cwd: "/", mcpServers: [] })
    return {
      agent,
      opened,
      sessionId: String(opened["sessionId"]),
      questions: () => agent.received.filter(({ method }) => method === "session/request_permission").length,
      [Symbol.asyncDispose]: async () => {
        await agent[Symbol.asyncDispose]()
        await home[Symbol.asyncDispose]()
      }
    }
  }
  const currentValue = (answer: Json.JsonObject) =>
    Json.get((answer["configOptions"] as Array<unknown>)[0], "currentValue")

  it("is offered with every opening, and set from the next call on [OWN-5.a OWN-5.b]", async () => {
    await using session = await open({})
    const { agent, opened, questions, sessionId } = session
    expect(opened["configOptions"]).toEqual([
      {
        id: "yolo",
        type: "select",
        name: expect.any(String),
        description: expect.any(String),
        currentValue: "off",
        options: [
          { value: "off", name: expect.any(String) },
          { value: "on", name: expect.any(String) }
        ]
      }
    ])
    await agent.prompt(sessionId)
    expect(questions()).toBe(1)
    const set = await agent.result("session/set_config_option", { sessionId, configId: "yolo", value: "on" })
    expect(currentValue(set)).toBe("on")
    await agent.prompt(sessionId)
    expect(questions()).toBe(1)
    const opening = { sessionId, cwd: "/", mcpServers: [] }
    expect(currentValue(await agent.result("session/load", opening))).toBe("on")
    await agent.result("session/set_config_option", { sessionId, configId: "yolo", value: "off" })
    await agent.prompt(sessionId)
    expect(questions()).toBe(2)
  })

  it("can be set while a turn runs, whose next call heeds it [OWN-5.b]", async () => {
    const home = await AgentHome.make([calls, calls, { text: "done" }])
    await using agent = home.start({ answers: { "_t/a": () => "ran" } })
    await agent.initialize(tools)
    const sessionId = await agent.newSession()
    const turn = agent.prompt(sessionId)
    const { id } = await agent.next(({ method }) => method === "session/request_permission")
    await agent.result("session/set_config_option", { sessionId, configId: "yolo", value: "on" })
    agent.write({ id, result: { outcome: { outcome: "selected", optionId: "allow" } } })
    expect(await turn).toBe("end_turn")
    expect(agent.received.filter(({ method }) => method === "session/request_permission")).toHaveLength(1)
    await home[Symbol.asyncDispose]()
  })

  it("is a switch for a client that knows switches [OWN-5.a]", async () => {
    await using session = await open({ yolo: true }, { session: { configOptions: { boolean: {} } } })
    const { agent, opened, questions, sessionId } = session
    expect(opened["configOptions"]).toMatchObject([{ id: "yolo", type: "boolean", currentValue: true }])
    const set = { sessionId, configId: "yolo", type: "boolean", value: false }
    expect(currentValue(await agent.result("session/set_config_option", set))).toBe(false)
    await agent.prompt(sessionId)
    expect(questions()).toBe(1)
  })

  it("takes no other value, and there is no other option [OWN-5.a]", async () => {
    await using session = await open({})
    const { agent, sessionId } = session
    const error = async (params: Json.JsonObject) => (await agent.request("session/set_config_option", params))["error"]
    expect(await error({ sessionId, configId: "yolo", value: "maybe" })).toEqual({
      code: -32602,
      message: 'the option yolo takes "on" or "off", or with type "boolean" true or false'
    })
    expect(await error({ sessionId, configId: "mode", value: "on" })).toMatchObject({ code: -32602 })
    expect(await error({ sessionId: "nobody", configId: "yolo", value: "on" })).toMatchObject({ code: -32002 })
  })

  it("does not silence an agent file that says that every call asks [OWN-5.a PERM-1.a]", async () => {
    await using session = await open({ acp: { clientTools: { permissions: "ask" } } })
    const { agent, questions, sessionId } = session
    await agent.result("session/set_config_option", { sessionId, configId: "yolo", value: "on" })
    await agent.prompt(sessionId)
    expect(questions()).toBe(1)
  })
})
