/** The reference agent with models and stores of every make, joined to a client of the ACP SDK by lines of JSON. */
import { client, ndJsonStream } from "@agentclientprotocol/sdk"
import { AgentConfig } from "@acp-client-tools/protocol"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import {
  AgentApp,
  type Model,
  type ModelEvent,
  type SessionEntry,
  SessionMemory,
  type SessionStore
} from "../src/reference/index.ts"

const config = Result.getOrThrow(AgentConfig.decode({}).config)

/** A client connected to an agent with this model and this store; it hears of the first word the model says. */
const connecting = Effect.fnUntraced(function* (model: Model, store: SessionStore.SessionStore = SessionMemory.make()) {
  const app = yield* AgentApp.make({ config, model, store, log: () => undefined })
  const toAgent = new TransformStream<Uint8Array, Uint8Array>()
  const toClient = new TransformStream<Uint8Array, Uint8Array>()
  const said = Promise.withResolvers<void>()
  const sides = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        [
          app.connect(ndJsonStream(toClient.writable, toAgent.readable)),
          client({ name: "test" })
            .onNotification("session/update", ({ params: { update } }) => {
              if (update.sessionUpdate === "agent_message_chunk") said.resolve()
            })
            .connect(ndJsonStream(toAgent.writable, toClient.readable))
        ] as const
    ),
    ([agentSide, clientSide]) =>
      Effect.sync(() => {
        clientSide.close()
        agentSide.close()
      })
  )
  const { agent } = sides[1]
  const sessionId = yield* Effect.promise(async () => {
    await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} })
    return (await agent.request("session/new", { cwd: "/", mcpServers: [] })).sessionId
  })
  const prompt = (text: string) =>
    agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }).catch((cause: unknown) => cause)
  return { agent, prompt, said: said.promise, sessionId }
})

const saying = (...events: ReadonlyArray<ModelEvent>): Model => ({ answer: () => Stream.fromIterable(events) })

const text = (words: string): ModelEvent => ({ type: "text", text: words })

describe("a cancelled turn", () => {
  it.effect("is answered as cancelled, whatever goes wrong while its model is stopped [TURN-1.a]", () =>
    Effect.gen(function* () {
      const model: Model = {
        answer: () =>
          Stream.succeed(text("Well")).pipe(
            Stream.concat(Stream.never),
            Stream.ensuring(Effect.die(new Error("it will not stop")))
          )
      }
      const { agent, prompt, said, sessionId } = yield* connecting(model)
      const turn = prompt("Go")
      yield* Effect.promise(() => said)
      yield* Effect.promise(() => agent.notify("session/cancel", { sessionId }))
      assert.deepStrictEqual(yield* Effect.promise(() => turn), { stopReason: "cancelled" })
    }).pipe(Effect.scoped)
  )
})

describe("a store", () => {
  /** A store that takes its time, and keeps what it was told in one list. */
  const slow = (kept: Array<SessionEntry.SessionEntry>): SessionStore.SessionStore => {
    let isAppending = false
    return {
      ...SessionMemory.make(),
      create: () =>
        Effect.succeed({
          close: Effect.void,
          append: (entries) =>
            Effect.promise(async () => {
              assert.isFalse(isAppending, "one at a time")
              isAppending = true
              await new Promise((resolve) => setImmediate(resolve))
              isAppending = false
              kept.push(...entries)
            })
        })
    }
  }

  it.effect("that takes its time gets every entry, in order and one call at a time, also of a cancelled turn", () =>
    Effect.gen(function* () {
      const kept: Array<SessionEntry.SessionEntry> = []
      const calls = ["x", "y", "z"].map((id): ModelEvent => ({ type: "toolCall", id, name: "none", arguments: {} }))
      const answers = [
        Stream.concat(Stream.succeed(text("Well")), Stream.never),
        Stream.fromIterable<ModelEvent>([...calls, { type: "finish", reason: "stop" }]),
        Stream.fromIterable<ModelEvent>([text("Done."), { type: "finish", reason: "stop" }])
      ]
      const { agent, prompt, said, sessionId } = yield* connecting(
        { answer: () => answers.shift() ?? Stream.never },
        slow(kept)
      )
      const cancelled = prompt("first")
      yield* Effect.promise(() => said)
      yield* Effect.promise(() => agent.notify("session/cancel", { sessionId }))
      assert.deepStrictEqual(yield* Effect.promise(() => cancelled), { stopReason: "cancelled" })
      assert.deepStrictEqual(yield* Effect.promise(() => prompt("second")), { stopReason: "end_turn" })
      assert.deepStrictEqual(
        kept.map(({ type }) => type),
        ["title", "prompt", "answer", "prompt", "answer", "result", "result", "result", "answer"]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is given its own cursors back, and its faults become the ACP error that fits, whoever made them", () =>
    Effect.gen(function* () {
      const cursors: Array<string | undefined> = []
      const failing = (tag: string) => Effect.fail(Object.assign(new Error(tag), { _tag: tag, sessionId: id }) as never)
      const id = "20200101-000000-00000000"
      const store: SessionStore.SessionStore = {
        ...SessionMemory.make(),
        list: ({ cursor }) => {
          cursors.push(cursor)
          return cursor === "mine" ? failing("CursorUnknown") : Effect.succeed({ sessions: [], nextCursor: "mine" })
        },
        open: (_, cwd) => failing(cwd === "/unknown" ? "SessionUnknown" : "SessionInUse")
      }
      const { agent } = yield* connecting(saying(), store)
      const code = (request: Promise<unknown>) =>
        Effect.promise(() => request.then(() => undefined).catch((cause: unknown) => (cause as { code: number }).code))
      const { nextCursor } = yield* Effect.promise(() => agent.request("session/list", {}))
      assert.strictEqual(yield* code(agent.request("session/list", { cursor: nextCursor ?? "" })), -32602)
      assert.deepStrictEqual(cursors, [undefined, "mine"])
      const load = (cwd: string) => agent.request("session/load", { sessionId: id, cwd, mcpServers: [] })
      assert.strictEqual(yield* code(load("/unknown")), -32002)
      assert.strictEqual(yield* code(load("/")), -32600)
    }).pipe(Effect.scoped)
  )
})
