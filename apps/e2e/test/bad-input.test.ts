/** Requests of every wrong kind: each is answered once, with the ACP error that fits, and the connection lives. */
import { Json } from "@acp-client-tools/protocol"
import { expect, it } from "vitest"
import * as AgentHome from "../src/AgentHome.ts"
import type * as RawClient from "../src/RawClient.ts"

const unknown = "20200101-000000-00000000"

const withAgent = async (
  work: (agent: RawClient.RawClient, home: AgentHome.AgentHome) => Promise<void>,
  steps: ReadonlyArray<Json.JsonObject> = []
) => {
  await using home = await AgentHome.make(steps)
  await using agent = home.start()
  await work(agent, home)
}

const codeOf = (answer: Json.JsonObject | undefined): unknown => Json.get(answer?.["error"], "code")

/** Valid parameters, one field of which is going to be wrong. */
const requests = (sessionId: string): Readonly<Record<string, Json.JsonObject>> => ({
  "session/new": { cwd: "/", mcpServers: [] },
  "session/load": { sessionId, cwd: "/", mcpServers: [] },
  "session/resume": { sessionId, cwd: "/", mcpServers: [] },
  "session/prompt": { sessionId, prompt: [{ type: "text", text: "Hi" }] },
  "session/list": { cwd: "/", cursor: unknown },
  "session/close": { sessionId: unknown },
  "session/delete": { sessionId: unknown },
  "session/set_config_option": { sessionId, configId: "yolo", value: "off" }
})

const wrong: ReadonlyArray<unknown> = [null, true, 0, -1.5, "", "\u0000", "x".repeat(100_000), [], [[]], {}, { a: 1 }]

it("wrong types in every field of every request are answered once each, and the agent goes on", async () => {
  await withAgent(async (agent) => {
    await agent.initialize()
    for (const method of Object.keys(requests(""))) {
      const valid = requests(await agent.newSession())[method] ?? {}
      const fields = Object.keys(valid).flatMap((key) => wrong.map((value) => ({ ...valid, [key]: value })))
      const without = Object.keys(valid).map((key) =>
        Object.fromEntries(Object.entries(valid).filter(([other]) => other !== key))
      )
      for (const params of [...fields, ...without, ...wrong, undefined]) {
        const answer = await agent.request(method, params)
        const code = codeOf(answer)
        // What the SDK reads as absent, or as the default, is no error.
        if (code === undefined) expect(answer).toHaveProperty("result")
        else expect([-32600, -32602, -32002, -32603]).toContain(code)
        if (code === -32603) expect(Json.get(answer["error"], "message")).toMatch(/the script ends/)
      }
    }
    expect(await agent.newSession()).toMatch(/^\d{8}-/)
    const ids = agent.received.filter((message) => message["method"] === undefined).map((message) => message["id"])
    expect(new Set(ids).size).toBe(ids.length)
    expect(agent.stderr.filter((line) => /^\s+at /.test(line))).toEqual([])
  })
})

it("a request before initialize is refused, and initialize then works", async () => {
  await withAgent(async (agent) => {
    for (const [method, params] of Object.entries(requests(unknown))) {
      expect(codeOf(await agent.request(method, params))).toBe(-32600)
    }
    expect(codeOf(await agent.request("initialize", { protocolVersion: "one" }))).toBe(-32602)
    await agent.initialize()
    await agent.newSession()
  })
})

it("a method nobody knows is answered -32601, a notification nobody knows is passed over", async () => {
  await withAgent(async (agent) => {
    await agent.initialize()
    for (const method of [
      "session/fork",
      "_nobody/knows",
      "",
      "session",
      "constructor",
      "__proto__",
      "session/set_mode"
    ]) {
      expect(codeOf(await agent.request(method, {}))).toBe(-32601)
    }
    agent.notify("_nobody/knows", {})
    agent.notify("session/cancel", { sessionId: 7 })
    agent.notify("$/cancel_request", { requestId: { a: 1 } })
    await agent.newSession()
  })
})

it("two requests of one id are both answered", async () => {
  await withAgent(async (agent) => {
    await agent.initialize()
    const params = { cwd: "/", mcpServers: [] }
    agent.write({ id: "twice", method: "session/new", params }, { id: "twice", method: "session/list", params: {} })
    const answers = [await agent.next(({ id }) => id === "twice"), await agent.next(({ id }) => id === "twice")]
    expect(answers.flatMap(({ result }) => Object.keys(Json.isObject(result) ? result : {}))).toEqual(
      expect.arrayContaining(["sessionId", "sessions"])
    )
  })
})

it("blocks the agent does not take are refused, and stay out of the history [TURN-2.b]", async () => {
  await withAgent(
    async (agent) => {
      await agent.initialize()
      const sessionId = await agent.newSession()
      const prompt = (...blocks: ReadonlyArray<unknown>) =>
        agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Look" }, ...blocks] })
      const image = await prompt({ type: "image", data: "aGk=", mimeType: "image/png" })
      expect(image["error"]).toEqual({ code: -32602, message: 'prompt blocks of type "image" are not supported' })
      expect(codeOf(await prompt({ type: "audio", data: "aGk=", mimeType: "audio/wav" }))).toBe(-32602)
      expect(codeOf(await prompt({ type: "video" }))).toBe(-32602)
      expect(codeOf(await prompt({ type: "resource", resource: { uri: 1 } }))).toBe(-32602)
      for (const empty of [[], [{ type: "text", text: "" }]]) {
        const refused = await agent.request("session/prompt", { sessionId, prompt: empty })
        expect(refused["error"]).toEqual({ code: -32602, message: "the prompt is empty" })
      }
      await agent.prompt(sessionId, "Said")
      expect(JSON.stringify(agent.updates(sessionId))).not.toContain("Look")
    },
    [{ text: "{{messages}}" }]
  )
})

it("lines that are no message cost nothing but their own answer", async () => {
  await withAgent(async (agent) => {
    await agent.initialize()
    agent.writeText(
      '{"jsonrpc":"2.0","id":99\n[]\n7\nnull\n"x"\n{}\n\n \u0000\n{"jsonrpc":"1.0","id":98,"method":"x"}\n'
    )
    agent.writeText(
      `{"jsonrpc":"2.0","id":97,"method":"session/list","params":${"[".repeat(5_000)}${"]".repeat(5_000)}}\n`
    )
    await agent.newSession()
    expect(agent.received.every((message) => message["jsonrpc"] === "2.0")).toBe(true)
  })
})
