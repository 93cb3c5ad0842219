/** What a session remembers, seen by the model itself: our client and our agent, several prompts in one session. */
import { type ConnectOptions, startAgent } from "@acp-client-tools/client/promise"
import { expect, it } from "vitest"
import * as Command from "../src/Command.ts"
import * as Folder from "../src/Folder.ts"

type Steps = ReadonlyArray<object>

/** A session with an agent whose model follows these steps; `said` gives what it says to a prompt. */
const open = async (config: object, steps: Steps, options: ConnectOptions = {}) => {
  const folder = await Folder.make({
    "agent.yaml": JSON.stringify({ model: { provider: "script", script: "./steps.yaml" }, ...config }),
    "steps.yaml": JSON.stringify({ steps })
  })
  const { args, command } = Command.agent(folder.path("agent.yaml"))
  let text = ""
  const heard = new Map<string, () => void>()
  const connection = await startAgent(command, args, {
    ...options,
    onUpdate: ({ update }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") text += update.content.text
      heard.get(update.sessionUpdate)?.()
    }
  })
  const session = await connection.newSession("/")
  return {
    session,
    hears: (sessionUpdate: string) => new Promise<void>((resolve) => heard.set(sessionUpdate, resolve)),
    said: async (prompt: string) => {
      text = ""
      await session.prompt(prompt)
      return text
    },
    [Symbol.asyncDispose]: async () => {
      await connection.close()
      await folder[Symbol.asyncDispose]()
    }
  }
}

const user = (text: string) => ({ role: "user", text })
const assistant = (text: string) => ({ role: "assistant", text, toolCalls: [] })

it("a second prompt is refused while a turn runs, and leaves no mark [TURN-2.a TURN-2.b TURN-3.d]", async () => {
  await using agent = await open({}, [{ text: "I think", wait: true }, { text: "{{messages}}" }])
  const thinking = agent.hears("agent_message_chunk")
  const first = agent.session.prompt("first")
  await thinking
  await expect(agent.session.prompt("second")).rejects.toThrow("a prompt turn is already running in this session")
  await agent.session.cancel()
  expect(await first).toBe("cancelled")
  expect(JSON.parse(await agent.said("third"))).toEqual([user("first"), assistant("I think"), user("third")])
})

const twoCalls = {
  text: "Two.",
  toolCalls: [
    { id: "x", name: "client_slow", arguments: { n: 1 } },
    { id: "x", name: "client_slow", argumentsText: "not JSON" },
    { id: "y", name: "client_slow", arguments: { n: 2 } }
  ]
}

const cancelledIn = async (config: object, text: string, begun: (resolve: () => void) => ConnectOptions) => {
  const waiting = Promise.withResolvers<void>()
  let open2 = 0
  const options = begun(() => {
    if (++open2 === 2) waiting.resolve()
  })
  await using agent = await open(config, [twoCalls, { text: "{{messages}}" }], options)
  const turn = agent.session.prompt("go")
  await waiting.promise
  await agent.session.cancel()
  expect(await turn).toBe("cancelled")
  const result = (id: string, read: string) => ({ id, name: "client_slow", text: read, failed: true })
  const call = (id: string, args: object) => ({ id, name: "client_slow", arguments: args })
  expect(JSON.parse(await agent.said("and?"))).toEqual([
    user("go"),
    { role: "assistant", text: "Two.", toolCalls: [call("x", { n: 1 }), call("x_2", {}), call("y", { n: 2 })] },
    {
      role: "tool",
      results: [
        result("x", text),
        result("x_2", "[client tool error: arguments must be a JSON object]"),
        result("y", text)
      ]
    },
    user("and?")
  ])
}

it("a cancelled turn leaves one result for every call, in order, those that had ended as they were [TURN-3.a TURN-3.b ERR-3.d CALL-6.d]", async () => {
  await cancelledIn({ yolo: true }, "[client tool error: cancelled]", (resolve) => ({
    tools: [
      {
        name: "slow",
        execute: () => {
          resolve()
          return new Promise(() => undefined)
        }
      }
    ]
  }))
})

it("calls that were still waiting for permission never started [TURN-3.a TURN-3.c TURN-1.c]", async () => {
  await cancelledIn({}, "[client tool error: not started]", (resolve) => ({
    tools: [{ name: "slow", execute: () => "ran" }],
    permission: () => {
      resolve()
      return new Promise(() => undefined)
    }
  }))
})

it("a refused prompt, and all that came of it, is forgotten [TURN-4.c]", async () => {
  const steps = [
    { toolCalls: [{ name: "client_a", arguments: {} }] },
    { text: "I will not", stopReason: "refusal" },
    { text: "{{messages}}" }
  ]
  await using agent = await open({ yolo: true }, steps, { tools: [{ name: "a", execute: () => 1 }] })
  expect(await agent.session.prompt("bad")).toBe("refusal")
  expect(JSON.parse(await agent.said("good"))).toEqual([user("good")])
})

it("after a model that failed the session goes on [TURN-4.f TURN-4.g]", async () => {
  await using agent = await open({}, [{ text: "Well", error: "out of tea" }, { text: "{{messages}}" }])
  await expect(agent.session.prompt("first")).rejects.toThrow("out of tea")
  expect(JSON.parse(await agent.said("second"))).toEqual([user("first"), assistant("Well"), user("second")])
})
