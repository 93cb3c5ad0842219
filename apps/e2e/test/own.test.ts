import { readFileSync } from "node:fs"
import { readFile, symlink, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { Json } from "@acp-client-tools/protocol"
import { describe, expect, it, vi } from "vitest"
import * as AgentHome from "../src/AgentHome.ts"
import * as Folder from "../src/Folder.ts"
import * as Pair from "../src/Pair.ts"
import * as RawClient from "../src/RawClient.ts"
import * as Wire from "../src/Wire.ts"

/** False also for one that has ended and waits for its parent to take notice. */
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

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

const tools = { "org.mini-me/tools": [{ name: "a", method: "_t/a" }] }

it("built-in, MCP and client tools are called alike by the agent as it is shipped; its own stay inside cwd [OWN-1.b OWN-1.c OWN-2.b OWN-3.a OWN-3.b]", async () => {
  await using folder = await Folder.make({ "a.txt": "the text" })
  await symlink("/etc", folder.path("etc"))
  const everything = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"))
  const calls = [
    { name: "read_file", arguments: { path: "a.txt" } },
    { name: "read_file", arguments: { path: "etc/passwd" } },
    { name: "list_directory" },
    { name: "everything_echo", arguments: { message: "hi" } },
    { name: "client_a" }
  ]
  await using home = await AgentHome.make([{ toolCalls: calls }, { text: "{{toolResults}}" }], { yolo: true })
  await using agent = home.start({ answers: { "_t/a": () => "from the client" } })
  await agent.initialize(tools)
  const server = { name: "everything", command: process.execPath, args: [everything], env: [] }
  const cwd = folder.path(".")
  const { sessionId } = await agent.result("session/new", { cwd, mcpServers: [server] })
  expect(await agent.prompt(String(sessionId))).toBe("end_turn")
  const said = RawClient.said(agent.updates(String(sessionId)))
  expect(said.split("\n")).toEqual([
    "the text",
    expect.stringMatching(/^\[client tool error: etc\/passwd leads out of this session's folders;/),
    "a.txt",
    "etc@",
    "Echo: hi",
    "from the client"
  ])
  expect(await agent.end()).toBe(0)
})

it("/tools is announced behind the answer that opens a session [OWN-4.a]", async () => {
  await using home = await AgentHome.make([])
  await using agent = home.start()
  await agent.initialize()
  const sessionId = await agent.newSession()
  const opening = { sessionId, cwd: "/", mcpServers: [] }
  await agent.result("session/load", opening)
  await agent.result("session/resume", opening)
  await agent.prompt(sessionId, "/tools")
  const isAnnouncement = ({ params }: Json.JsonObject) =>
    Json.get(Json.get(params, "update"), "sessionUpdate") === "available_commands_update"
  const order = agent.received.map((message) =>
    isAnnouncement(message) ? "commands" : "result" in message ? "answer" : ""
  )
  expect(order.filter((what) => what !== "")).toEqual([
    "answer",
    "answer",
    "commands",
    "answer",
    "commands",
    "answer",
    "commands",
    "answer"
  ])
  expect(agent.received.find(isAnnouncement)?.["params"]).toEqual({
    sessionId,
    update: {
      sessionUpdate: "available_commands_update",
      availableCommands: [{ name: "tools", description: expect.any(String) }]
    }
  })
})

it.concurrent.each(["end of input", "SIGTERM"])(
  "an agent that ends by %s ends its MCP servers, a stubborn one and what stands behind a shell too [OWN-3.a SESS-4.a]",
  async (how) => {
    await using folder = await Folder.make({})
    const stubborn = folder.path("stubborn.mjs")
    await writeFile(
      stubborn,
      `import { writeFileSync } from "node:fs"
       import { createInterface } from "node:readline"
       writeFileSync(${JSON.stringify(folder.path("pid"))}, String(process.pid))
       process.on("SIGTERM", () => undefined)
       setInterval(() => undefined, 1000)
       createInterface({ input: process.stdin }).on("line", (line) => {
         const { id, method, params } = JSON.parse(line)
         const results = {
           initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
           "tools/list": { tools: [] }
         }
         if (method in results) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }))
       })`
    )
    await using home = await AgentHome.make([])
    await using agent = home.start()
    await agent.initialize()
    const command = `${process.execPath} ${stubborn}; true`
    const server = { name: "s", command: "/bin/sh", args: ["-c", command], env: [] }
    await agent.result("session/new", { cwd: folder.path("."), mcpServers: [server] })
    const pid = Number(await readFile(folder.path("pid"), "utf8"))
    expect(isAlive(pid)).toBe(true)
    if (how === "SIGTERM") agent.kill("SIGTERM")
    expect(await (how === "SIGTERM" ? agent.exited : agent.end())).toBe(0)
    expect(agent.stderr).toEqual([])
    await vi.waitUntil(() => !isAlive(pid))
  }
)

describe("the config option yolo", () => {
  const calls = { toolCalls: [{ name: "client_a", arguments: {} }] }

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
