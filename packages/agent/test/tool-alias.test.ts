/** What a provider with a length limit is told of tools with long names, and that nobody else hears of it. */
import { client, ndJsonStream, type SessionNotification } from "@agentclientprotocol/sdk"
import { AgentConfig } from "@acp-client-tools/protocol"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { OpenAiCompatible } from "../src/ai-sdk/index.ts"
import * as ToolAlias from "../src/ai-sdk/ToolAlias.ts"
import { AgentApp } from "../src/reference/index.ts"
import * as ChatServer from "./ChatServer.ts"

const long = `client_${"a".repeat(93)}`

describe("the name a provider is told", () => {
  it("is the tool's own up to the limit, and a readable alias of that length beyond it [NAME-3.b]", () => {
    const short = "client_".padEnd(64, "x")
    const { toProvider } = ToolAlias.make([short, long], 64)
    assert.strictEqual(toProvider(short), short)
    assert.strictEqual(toProvider(long), `client_${"a".repeat(49)}_0ap2k42`)
    assert.strictEqual(toProvider(long).length, 64)
  })

  it("is an alias too where a model called what no provider takes, so that the history stays acceptable [NAME-3.b]", () => {
    const names = ["", "functions.client_a", "größe", "🌉".repeat(40)]
    const { toName, toProvider } = ToolAlias.make(names, 64)
    for (const name of names) {
      assert.match(toProvider(name), /^[A-Za-z0-9_-]{1,64}$/)
      assert.strictEqual(toName(toProvider(name)), name)
    }
  })

  it("does not change when other tools come or go, in whatever order they stand [NAME-3.b]", () => {
    const alone = ToolAlias.make([long], 64).toProvider(long)
    const others = [`${long}b`, "client_b", `${long}c`]
    assert.strictEqual(ToolAlias.make([...others, long], 64).toProvider(long), alone)
    assert.strictEqual(ToolAlias.make([long, ...others], 64).toProvider(long), alone)
  })

  it("gets a number where another tool has that name, or the same hash [NAME-3.b NAME-3.c]", () => {
    const alias = ToolAlias.make([long], 64).toProvider(long)
    const beside = ToolAlias.make([long, alias], 64)
    assert.strictEqual(beside.toProvider(alias), alias)
    assert.strictEqual(beside.toName(alias), alias)
    assert.strictEqual(beside.toProvider(long), `client_${"a".repeat(47)}_0ap2k42_2`)
    assert.strictEqual(beside.toName(beside.toProvider(long)), long)

    const [one, other] = ["1a5d0", "2zkg"].map((ending) => `client_${"b".repeat(80)}${ending}`) as [string, string]
    const { toProvider } = ToolAlias.make([other, one], 64)
    assert.strictEqual(toProvider(one), `client_${"b".repeat(49)}_1ngdism`)
    assert.strictEqual(toProvider(other), `client_${"b".repeat(47)}_1ngdism_2`)
  })

  it("is the name itself on the way back when it is nobody's alias [NAME-3.c]", () => {
    const { toName } = ToolAlias.make([long], 64)
    for (const name of [long, "client_unheard_of", "constructor", "__proto__", ""]) {
      assert.strictEqual(toName(name), name)
    }
  })

  const Name = Schema.Struct({
    beginning: Schema.Literals(["client_", "client_".padEnd(63, "p"), "client_".padEnd(90, "q")]),
    ending: Schema.String
  })
  it.prop(
    "is within the limit, nobody else's, and leads back, whatever the names [NAME-3.b NAME-3.c]",
    [Schema.Array(Name), Schema.Literals([16, 20, 64])],
    ([parts, limit]) => {
      const names = parts.map(({ beginning, ending }) => beginning + ending)
      // Names that look like the aliases of the others.
      const { toProvider: told } = ToolAlias.make(names, limit)
      const all = [...new Set([...names, ...names.map(told)])]
      const { toName, toProvider } = ToolAlias.make(all, limit)
      const aliases = all.map(toProvider)
      assert.strictEqual(new Set(aliases).size, all.length)
      for (const alias of aliases) assert.match(alias, new RegExp(`^[A-Za-z0-9_-]{1,${limit}}$`))
      assert.deepStrictEqual(aliases.map(toName), all)
      for (const name of names.map(told)) assert.strictEqual(toProvider(name), name)
      const { toProvider: reversed } = ToolAlias.make(all.toReversed(), limit)
      assert.deepStrictEqual(all.map(reversed), aliases)
    },
    { arbitrary: { runs: 200 } }
  )
})

/** An agent with this model, and a client of the ACP SDK that offers a tool and allows its call or does not. */
const connecting = Effect.fnUntraced(function* (baseUrl: string, optionId: string) {
  const config = Result.getOrThrow(AgentConfig.decode({}).config)
  const model = yield* OpenAiCompatible.make({ baseUrl, name: "m" })
  const app = yield* AgentApp.make({ config, model, log: () => undefined })
  const toAgent = new TransformStream<Uint8Array, Uint8Array>()
  const toClient = new TransformStream<Uint8Array, Uint8Array>()
  const permissions: Array<unknown> = []
  const updates: Array<SessionNotification["update"]> = []
  const called: Array<unknown> = []
  const { agent } = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const agentSide = app.connect(ndJsonStream(toClient.writable, toAgent.readable))
      const clientSide = client({ name: "test" })
        .onRequest("session/request_permission", ({ params }) => {
          permissions.push(params)
          return { outcome: { outcome: "selected", optionId } }
        })
        .onNotification("session/update", ({ params: { update } }) => {
          const { sessionUpdate } = update
          if (sessionUpdate !== "session_info_update" && sessionUpdate !== "available_commands_update") {
            updates.push(update)
          }
        })
        .onRequest(
          "_test/long",
          (params) => params,
          ({ params }) => {
            called.push(params)
            return "found"
          }
        )
        .connect(ndJsonStream(toAgent.writable, toClient.readable))
      return { agent: clientSide.agent, close: () => [clientSide, agentSide].forEach((side) => side.close()) }
    }),
    ({ close }) => Effect.sync(close)
  )
  const tools = [{ name: "a".repeat(93), method: "_test/long", description: "Long." }]
  const { sessionId } = yield* Effect.promise(async () => {
    await agent.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: { _meta: { "org.mini-me/tools": tools } }
    })
    return agent.request("session/new", { cwd: "/", mcpServers: [] })
  })
  const prompt = (text: string) =>
    Effect.tryPromise(() => agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }))
  return { called, permissions, prompt, updates }
})

/** A stream of OpenAI that calls a tool. */
const calling = (name: string): string =>
  ChatServer.recording("openai-tool-call").replace('"client_search"', JSON.stringify(name))

describe("a tool whose name is longer than its provider takes", () => {
  const alias = ToolAlias.make([long], ToolAlias.LIMIT).toProvider(long)
  const callFirst: ChatServer.Answer = (response, asked, index) =>
    ChatServer.stream(index === 0 ? calling(alias) : ChatServer.recording("openai-text"))(response, asked, index)

  it.effect(
    "has an alias in every request to the provider, and its full name for everybody else [NAME-3.b NAME-3.c NAME-3.d]",
    () =>
      Effect.gen(function* () {
        const { asked, baseUrl } = yield* ChatServer.make(callFirst)
        const { called, permissions, prompt, updates } = yield* connecting(baseUrl, "reject")
        assert.deepStrictEqual(yield* prompt("Look it up."), { stopReason: "end_turn" })

        // What the provider was told.
        assert.deepStrictEqual(
          asked.map(({ body }) => body.tools.map((tool: any) => tool.function.name)),
          [[alias], [alias]]
        )
        const [, second] = asked as [ChatServer.Asked, ChatServer.Asked]
        const [, assistant, result] = second.body.messages
        assert.strictEqual(assistant.tool_calls[0].function.name, alias)
        assert.deepStrictEqual(result, {
          role: "tool",
          tool_call_id: assistant.tool_calls[0].id,
          content: `[${long} rejected by user]`
        })

        // What everybody else was.
        assert.deepStrictEqual(called, [])
        const heard = JSON.stringify([permissions, updates])
        assert.notInclude(heard, alias)
        assert.include(heard, `[${long} rejected by user]`)
      }).pipe(Effect.scoped)
  )

  it.effect("is called by its alias, and the result goes back under it [NAME-3.c NAME-3.d]", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* ChatServer.make(callFirst)
      const { called, prompt, updates } = yield* connecting(baseUrl, "allow")
      assert.deepStrictEqual(yield* prompt("Look it up."), { stopReason: "end_turn" })
      assert.lengthOf(called, 1)
      const [, second] = asked as [ChatServer.Asked, ChatServer.Asked]
      const { messages } = second.body
      assert.strictEqual(messages.at(-2).tool_calls[0].function.name, alias)
      assert.strictEqual(messages.at(-1).content, "found")
      assert.notInclude(JSON.stringify(updates), alias)
    }).pipe(Effect.scoped)
  )
})

describe("a turn of a model that is cut short", () => {
  it.effect("fails in words, runs no half call, and leaves the session usable [TURN-4.f TURN-4.g]", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* ChatServer.make((response, asked, index) =>
        ChatServer.stream(ChatServer.recording(index === 0 ? "openai-cut-in-tool-call" : "openai-text"))(
          response,
          asked,
          index
        )
      )
      const { prompt, updates } = yield* connecting(baseUrl, "allow")
      const failure = yield* Effect.flip(prompt("Look it up."))
      assert.strictEqual((failure.cause as Error).message, "the model failed: its answer was cut short")
      assert.deepStrictEqual(updates, [])
      assert.deepStrictEqual(yield* prompt("Again."), { stopReason: "end_turn" })
    }).pipe(Effect.scoped)
  )

  it.effect("ends for length without running its half call [TURN-4.b]", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* ChatServer.make(
        ChatServer.stream(ChatServer.recording("openai-length-in-tool-call"))
      )
      const { prompt, updates } = yield* connecting(baseUrl, "allow")
      assert.deepStrictEqual(yield* prompt("Look it up."), { stopReason: "max_tokens" })
      assert.deepStrictEqual(updates, [])
      assert.lengthOf(asked, 1)
    }).pipe(Effect.scoped)
  )
})
