/**
 * The examples, as processes: agents with our client, then line by line where a client would be in the way; clients with those
 * agents.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Peer } from "@acp-client-tools/conformance"
import { Json } from "@acp-client-tools/protocol"
import { allow, type ConnectOptions, deny, startAgent, type ToolDefinition } from "@acp-client-tools/client/promise"
import { describe, expect, it } from "vitest"
import * as Command from "../src/Command.ts"
import * as Folder from "../src/Folder.ts"
import * as Run from "../src/Run.ts"
import * as Wire from "../src/Wire.ts"

const fileOf = (example: string): string => {
  const [side = ""] = example.split("-")
  return fileURLToPath(new URL(`../../../examples/${example}/${side}.ts`, import.meta.url))
}

const linesOf = (example: string): number => readFileSync(fileOf(example), "utf8").trimEnd().split("\n").length

/** An example with our client, and what it said in each session. */
const start = async (example: string, tool: ToolDefinition, options: ConnectOptions = {}) => {
  const said = new Map<string, string>()
  const noise: Array<string> = []
  const args = [fileOf(example), options.discovery ?? "meta"]
  const { agent, close, newSession } = await startAgent(process.execPath, args, {
    tools: [tool],
    permission: allow,
    log: (line) => noise.push(line),
    onUpdate: ({ sessionId, update }) => {
      if (update.sessionUpdate !== "agent_message_chunk") return
      said.set(sessionId, `${said.get(sessionId) ?? ""}${Wire.updateText(update)}`)
    },
    ...options
  })
  return { agent, newSession: () => newSession("/"), said, noise, [Symbol.asyncDispose]: close }
}

/** A tool that answers when it is released, and whose calls can be waited for. */
const waiting = () => {
  const begun = new Map<string, PromiseWithResolvers<AbortSignal>>()
  const released = Promise.withResolvers<void>()
  const beginning = (sessionId: string): PromiseWithResolvers<AbortSignal> => {
    const known = begun.get(sessionId) ?? Promise.withResolvers<AbortSignal>()
    begun.set(sessionId, known)
    return known
  }
  const tool: ToolDefinition = {
    name: "wait",
    execute: async (_, { sessionId, signal }) => {
      beginning(sessionId).resolve(signal)
      await released.promise
      return `waited in ${sessionId}`
    }
  }
  /** The signal of the first call in a session, once it runs. */
  const signalIn = (sessionId: string): Promise<AbortSignal> => beginning(sessionId).promise
  return { tool, signalIn, release: () => released.resolve() }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener("abort", () => resolve())
  })

const DEADLINE = 20_000

/** An example to be spoken to in lines. A line on its stdout that is not JSON fails whoever waits for a message. */
const speak = (example: string, mode: "meta" | "request") => {
  const peer = new Peer.Peer({ command: process.execPath, args: [fileOf(example), mode] }, process.cwd(), {
    stdout: () => undefined,
    stderr: () => undefined
  })
  const received = (): ReadonlyArray<Json.JsonObject> => peer.stdout.all.map(({ text }) => JSON.parse(text))
  const receive = (matches: (message: Json.JsonObject) => boolean): Promise<Json.JsonObject | undefined> =>
    peer.stdout.until(() => received().find(matches), performance.now() + DEADLINE)
  return {
    peer,
    /** All of them in one write. */
    send: (...messages: ReadonlyArray<Json.JsonObject>): void =>
      peer.write(
        Buffer.from(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""))
      ),
    asked: (method: string) => receive((message) => message["method"] === method),
    answer: (id: number) => receive((message) => message["method"] === undefined && message["id"] === id),
    cancelOf: (id: unknown) =>
      receive(
        ({ method, params }) =>
          method === "$/cancel_request" && Json.get(params, "requestId") === id && id !== undefined
      ),
    [Symbol.asyncDispose]: () => peer.end()
  }
}

const initialize = (offered: unknown) => ({
  id: 0,
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: { _meta: { "org.mini-me/tools": offered } } }
})
const newSession = (id: number) => ({ id, method: "session/new", params: { cwd: "/", mcpServers: [] } })
const prompt = (id: number, sessionId: unknown, text: string) => ({
  id,
  method: "session/prompt",
  params: { sessionId, prompt: [{ type: "text", text }] }
})
const cancelRequest = (requestId: number) => ({ method: "$/cancel_request", params: { requestId } })

describe.concurrent.each(["agent-with-promises", "agent-with-effect"])("examples/%s", (example) => {
  it("has 60 lines at most", () => {
    expect(linesOf(example)).toBeLessThanOrEqual(60)
  })

  it.each(["meta", "request"] as const)(
    "learns a tool in mode %s, calls it and says what it said",
    async (discovery) => {
      const weather: ToolDefinition = {
        name: "weather",
        description: "The weather in a city.",
        execute: ({ city }) => `sunny in ${String(city)}`
      }
      await using running = await start(example, weather, { discovery })
      expect(running.agent.agentCapabilities?._meta).toEqual({ "org.acp-client-tools/discovery": discovery })
      const listing = await running.newSession()
      expect(await listing.prompt("What is there?")).toBe("end_turn")
      expect(running.said.get(listing.sessionId)).toBe("client_weather: The weather in a city.")
      const calling = await running.newSession()
      expect(await calling.prompt('client_weather {"city":"Bern"}')).toBe("end_turn")
      expect(running.said.get(calling.sessionId)).toBe("sunny in Bern")
      expect(running.noise).toEqual([])
    }
  )

  it("tells the tool of a cancelled turn, which ends as cancelled and leaves the session usable", async () => {
    const wait = waiting()
    await using running = await start(example, wait.tool)
    const session = await running.newSession()
    const turn = session.prompt("client_wait {}")
    const signal = await wait.signalIn(session.sessionId)
    await session.cancel()
    expect(await turn).toBe("cancelled")
    await aborted(signal)
    expect(running.said.get(session.sessionId)).toBeUndefined()
    wait.release()
    expect(await session.prompt("client_wait {}")).toBe("end_turn")
    expect(running.said.get(session.sessionId)).toBe(`waited in ${session.sessionId}`)
  })

  it("reads that the user refused, and the tool does not run", async () => {
    let calls = 0
    await using running = await start(example, { name: "x", execute: () => `${++calls}` }, { permission: deny })
    const session = await running.newSession()
    expect(await session.prompt("client_x {}")).toBe("end_turn")
    expect(running.said.get(session.sessionId)).toBe("[client_x rejected by user]")
    expect(calls).toBe(0)
  })

  it("does not mix two sessions, nor their cancels", async () => {
    const wait = waiting()
    await using running = await start(example, wait.tool)
    const [left, right] = [await running.newSession(), await running.newSession()]
    const turns = [left.prompt("client_wait {}"), right.prompt("client_wait {}")]
    const signals = [await wait.signalIn(left.sessionId), await wait.signalIn(right.sessionId)]
    await left.cancel()
    expect(await turns[0]).toBe("cancelled")
    wait.release()
    expect(await turns[1]).toBe("end_turn")
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false])
    expect([...running.said]).toEqual([[right.sessionId, `waited in ${right.sessionId}`]])
  })

  it("ends a turn on either cancel, knows its sessions, and keeps its lines apart from ACP", async () => {
    await using agent = speak(example, "meta")
    agent.send(initialize([{ name: "wait", method: "_t/wait" }]))
    expect(await agent.answer(0)).toMatchObject({ result: { protocolVersion: 1 } })
    agent.send(prompt(1, "nobody", "Hello"))
    expect(await agent.answer(1)).toMatchObject({ error: { code: -32002 } })
    agent.send(newSession(2))
    const sessionId = Json.get((await agent.answer(2))?.["result"], "sessionId")

    agent.send(prompt(3, sessionId, "client_wait {}"))
    const question = await agent.asked("session/request_permission")
    agent.send({ id: question?.["id"], result: { outcome: { outcome: "selected", optionId: "allow" } } })
    const call = await agent.asked("_t/wait")
    agent.send(prompt(4, sessionId, "Are you busy?"))
    expect(await agent.answer(4)).toMatchObject({ error: { code: -32600 } })
    agent.send(cancelRequest(3))
    expect(await agent.answer(3)).toMatchObject({ result: { stopReason: "cancelled" } })
    expect(await agent.cancelOf(call?.["id"])).toBeDefined()

    agent.send(prompt(5, sessionId, "client_wait {}"), { method: "session/cancel", params: { sessionId } })
    expect(await agent.answer(5)).toMatchObject({ result: { stopReason: "cancelled" } })

    await agent.peer.end()
    expect(agent.peer.exit).toBe(0)
    expect(agent.peer.stderr.all.map(({ text }) => text)).toEqual(["[acp] client tools (meta): client_wait"])
  })

  it("asks no longer for the tools of a session that nobody waits for", async () => {
    await using agent = speak(example, "request")
    agent.send(initialize(true))
    await agent.answer(0)
    agent.send(newSession(1))
    const question = await agent.asked("_org.mini-me/tools/list")
    agent.send(cancelRequest(1))
    expect(await agent.answer(1)).toMatchObject({ error: { code: -32800 } })
    expect(await agent.cancelOf(question?.["id"])).toBeDefined()
  })
})

describe.concurrent.each([
  ["client-with-promises", "read_note", { title: "shopping" }, "milk, bread", { title: 7 }, /title: /],
  ["client-with-effect", "wait", { milliseconds: 1 }, "waited in /", { milliseconds: -1 }, /milliseconds: /]
])("examples/%s", (example, tool, args, answer, wrong, fault) => {
  it("has 40 lines at most", () => {
    expect(linesOf(example)).toBeLessThanOrEqual(40)
  })

  it("offers its tool to an agent, runs a call, refuses another, and ends with the agent", async () => {
    const discovery = example.endsWith("effect") ? "request" : "meta"
    const toolCalls = [args, wrong].map((given) => ({ name: `client_${tool}`, arguments: given }))
    await using folder = await Folder.make({
      "agent.yaml": JSON.stringify({
        model: { provider: "script", script: "./steps.yaml" },
        acp: { clientTools: { discovery } }
      }),
      "steps.yaml": JSON.stringify({ steps: [{ toolCalls }, { text: "{{toolResults}}" }] })
    })
    const agent = Command.agent(folder.path("agent.yaml"))
    const client = {
      command: process.execPath,
      args: [fileOf(example), "Hello", agent.command, ...agent.args]
    }
    const { exitCode, stdout } = await Run.toEnd(client, { cwd: "/" })
    expect(exitCode).toBe(0)
    expect(stdout.split("[client tool error: invalid arguments: ")).toEqual([
      expect.stringContaining(answer),
      expect.stringMatching(fault)
    ])
  })
})
