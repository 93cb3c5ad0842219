/** The whole agent with the openai-compatible model: a server replays recorded streams, one for each request. */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { expect, it } from "vitest"
import * as AgentHome from "../src/AgentHome.ts"
import * as RawClient from "../src/RawClient.ts"

const recordings = new URL("../../../packages/agent/test/recordings/", import.meta.url)

/** A server of these recordings, in their order; what it was asked. One with `!` in front breaks off at its end, one with `+` stays open. */
const serve = async (...names: ReadonlyArray<string>) => {
  const asked: Array<any> = []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const name = names[asked.push(body) - 1] ?? "nothing"
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(readFileSync(new URL(`${name.replace(/^[!+]/, "")}.sse`, recordings)), () => {
        if (name.startsWith("!")) response.destroy()
        else if (!name.startsWith("+")) response.end()
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    asked,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

const withAgent = async (
  names: ReadonlyArray<string>,
  work: (agent: RawClient.RawClient, sessionId: string, asked: ReadonlyArray<any>) => Promise<void>
) => {
  await using server = await serve(...names)
  const model = { provider: "openai-compatible", baseUrl: server.baseUrl, name: "m" }
  await using home = await AgentHome.make([], { yolo: true, builtInTools: false, systemPrompt: "Be brief." }, model)
  await using agent = home.start({ answers: { "_t/search": ({ query }) => `found ${String(query)}` } })
  const search = { name: "search", method: "_t/search", inputSchema: { properties: { query: { type: "string" } } } }
  await agent.initialize({ "org.mini-me/tools": [search] })
  await work(agent, await agent.newSession(), server.asked)
}

it("thoughts, words and calls are streamed, and the next request tells the server what came of them [CFG-1.l CALL-6.a CALL-6.c]", async () => {
  await withAgent(["openai-parallel-tool-calls", "vllm-reasoning"], async (agent, sessionId, asked) => {
    expect(await agent.prompt(sessionId, "Look both up.")).toBe("end_turn")
    const updates = agent.updates(sessionId)
    const thought = updates.filter(({ sessionUpdate }) => sessionUpdate === "agent_thought_chunk")
    expect(thought.map(({ content }) => (content as { readonly text: string }).text).join("")).toBe("Short thought.")
    expect(RawClient.said(updates)).toMatch(/Done\.$/)
    expect(asked[0].tools.map((tool: any) => tool.function.name)).toEqual(["client_search"])
    const [system, user, assistant, ...results] = asked[1].messages
    expect([system.content, user.content]).toEqual(["Be brief.", "Look both up."])
    expect(assistant.tool_calls.map((call: any) => call.function.arguments)).toEqual(['{"query":"a"}', '{"query":"b"}'])
    expect(results.map(({ content, tool_call_id: id }: any) => [id, content])).toEqual([
      [assistant.tool_calls[0].id, "found a"],
      [assistant.tool_calls[1].id, "found b"]
    ])
  })
})

it("a stream that is cut fails the turn in words, runs no half call, and the session goes on [TURN-4.f TURN-4.g]", async () => {
  await withAgent(["!openai-cut-in-tool-call", "!openai-cut", "openai-text"], async (agent, sessionId, asked) => {
    for (const _ of [1, 2]) {
      const failed = await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Go" }] })
      expect(failed["error"]).toEqual({ code: -32603, message: "the model failed: its answer was cut short" })
    }
    expect(agent.received.filter(({ method }) => method === "_t/search")).toEqual([])
    expect(await agent.prompt(sessionId, "Again")).toBe("end_turn")
    expect(asked[2].messages.map(({ content }: any) => content)).toEqual([
      "Be brief.",
      "Go\n\nGo",
      "Saturn is",
      "Again"
    ])
  })
})

it("length and content filter end the turn as ACP has it, and their calls are not run [TURN-4.b TURN-4.c]", async () => {
  await withAgent(
    ["openai-length", "openai-length-in-tool-call", "openai-content-filter", "openai-text"],
    async (agent, sessionId, asked) => {
      expect(await agent.prompt(sessionId, "1")).toBe("max_tokens")
      expect(await agent.prompt(sessionId, "2")).toBe("max_tokens")
      expect(await agent.prompt(sessionId, "3")).toBe("refusal")
      expect(agent.received.filter(({ method }) => method === "_t/search")).toEqual([])
      await agent.prompt(sessionId, "4")
      const users = asked[3].messages.filter(({ role }: any) => role === "user")
      expect(users.map(({ content }: any) => content)).toEqual(["1", "2\n\n4"])
    }
  )
})

it("arguments that are not JSON are a failed call, empty ones are none [CALL-4.b]", async () => {
  await withAgent(
    ["vllm-arguments-not-json", "openai-empty-arguments", "openai-text"],
    async (agent, sessionId, asked) => {
      expect(await agent.prompt(sessionId)).toBe("end_turn")
      const results = asked[2].messages.filter(({ role }: any) => role === "tool").map(({ content }: any) => content)
      expect(results[0]).toBe("[client tool error: arguments must be a JSON object]")
      expect(results.slice(1)).toEqual(results.slice(1).map(() => "[client tool error: unknown tool client_open]"))
    }
  )
})

it("an answer ends with the sign of its end, also where the server keeps the connection open [TURN-4.a]", async () => {
  await withAgent(["+openai-text", "+openai-tool-call", "+openai-text"], async (agent, sessionId) => {
    expect(await agent.prompt(sessionId)).toBe("end_turn")
    expect(await agent.prompt(sessionId)).toBe("end_turn")
  })
})

it("a key that the model says stands in no session file [CLI-6.d]", async () => {
  const key = 'sk-"very"-secret'
  const words = `Your key is ${key}.`
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { "content-type": "text/event-stream" })
    const chunk = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
    const pieces = [words.slice(0, 18), words.slice(18)].map(chunk)
    const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }
    response.end([...pieces, end].map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join(""))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const model = { provider: "openai-compatible", baseUrl, name: "m", apiKeyEnv: "THE_KEY" }
  await using home = await AgentHome.make([], {}, model)
  await using agent = home.start({ env: { THE_KEY: key } })
  await agent.initialize()
  const sessionId = await agent.newSession()
  await agent.prompt(sessionId)
  expect(RawClient.said(agent.updates(sessionId))).toBe(words)
  expect(await home.readSession(sessionId)).toContain("Your key is [secret].")
  const [meta, echo] = [{ [key]: key }, { type: "resource", resource: { uri: "file:///a", text: key } }]
  await agent.result("session/prompt", { sessionId, prompt: [{ type: "text", text: "Hm", _meta: meta }, echo] })
  expect(await home.readSession(sessionId)).not.toContain("very")
  const before = agent.updates(sessionId).length
  await agent.result("session/load", { sessionId, cwd: "/", mcpServers: [] })
  expect(
    agent
      .updates(sessionId)
      .slice(before)
      .filter((update) => update["sessionUpdate"] === "user_message_chunk")
  ).toHaveLength(3)
  server.close()
})
