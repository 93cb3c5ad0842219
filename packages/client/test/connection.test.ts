/** The reference client against an agent written by hand. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type ConnectOptions, connect } from "../src/promise/index.ts"
import { Connection, type Update } from "../src/reference/index.ts"
import * as FakeAgent from "./fake-agent.ts"

const update = (fields: object) => ({ method: "session/update", params: { sessionId: "s", update: fields } })
const chunk = (text: string) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } })

/** A session with an agent written by hand, up to the point where a prompt may be sent. */
const session = async (options: ConnectOptions = {}) => {
  const agent = FakeAgent.make()
  const opened = FakeAgent.open(agent)
  const connection = await connect(agent.stream, options)
  const started = await connection.newSession("/")
  await opened
  return { agent, connection, session: started }
}

describe("a prompt", () => {
  it("settles after every update sent before its answer was handled, in order [CLIENT-7.a CLIENT-7.b]", async () => {
    const handled: Array<unknown> = []
    const onUpdate = async (told: Update) => {
      // A handler slower than the stream: the next update waits for it.
      await new Promise(setImmediate)
      handled.push(Reflect.get(told.update, "n"))
    }
    const { agent, session: started } = await session({ onUpdate })
    const ended = started.prompt("Hello")
    const { id } = await agent.next()
    const numbers = Array.from({ length: 300 }, (_, n) => n)
    await agent.send(...numbers.map((n) => update({ sessionUpdate: n % 2 === 0 ? "plan" : "of_the_future", n })), {
      id,
      result: { stopReason: "end_turn" }
    })
    assert.strictEqual(await ended, "end_turn")
    assert.deepStrictEqual(handled, numbers)
  })

  it("settles after 100,000 updates that all came before the first was handled [CLIENT-7.a CLIENT-7.b]", async () => {
    const begin = Promise.withResolvers<void>()
    let handled = 0
    let areInOrder = true
    const onUpdate = ({ update: told }: Update) => {
      areInOrder &&= Reflect.get(told, "n") === handled
      handled++
      return begin.promise
    }
    const { agent, session: started } = await session({
      onUpdate,
      tools: [{ name: "a", method: "_a", execute: () => begin.resolve() }]
    })
    const ended = started.prompt("Hello")
    const { id } = await agent.next()
    const numbers = Array.from({ length: 100_000 }, (_, n) => n)
    const call = { id: 7, method: "_a", params: { _meta: { "org.mini-me/sessionId": "s" } } }
    await agent.send(...numbers.map((n) => update({ sessionUpdate: "plan", n })), call)
    assert.strictEqual((await agent.next()).id, 7)
    await agent.send({ id, result: { stopReason: "end_turn" } })
    assert.strictEqual(await ended, "end_turn")
    assert.deepStrictEqual({ handled, areInOrder }, { handled: 100_000, areInOrder: true })
  })

  it("has one update handled after the other, whatever each takes, and after an idle moment too [CLIENT-7.b]", async () => {
    const told: Array<string> = []
    const { agent, session: started } = await session({
      onUpdate: async ({ update: one }) => {
        const n = Number(Reflect.get(one, "n"))
        told.push(`+${n}`)
        // The first takes longest.
        for (let turns = 6 - n; turns > 0; turns--) await new Promise(setImmediate)
        told.push(`-${n}`)
      }
    })
    for (const numbers of [
      [0, 1, 2],
      [3, 4, 5]
    ]) {
      const ended = started.prompt("Hello")
      const updates = numbers.map((n) => update({ sessionUpdate: "plan", n }))
      await agent.answer({ result: { stopReason: "end_turn" } }, ...updates)
      await ended
    }
    assert.deepStrictEqual(
      told,
      [0, 1, 2, 3, 4, 5].flatMap((n) => [`+${n}`, `-${n}`])
    )
  })

  it("is not harmed by a log that throws, nor by updates that are none: each is told [CLIENT-7.a]", async () => {
    const lines: Array<string> = []
    const { agent, session: started } = await session({
      onUpdate: () => Promise.reject(new Error("handler")),
      log: (line) => {
        lines.push(line)
        throw new Error("log")
      }
    })
    const ended = started.prompt("Hello")
    const malformed = { method: "session/update", params: { sessionId: "s", update: { kind: "new" } } }
    await agent.answer({ result: { stopReason: "end_turn" } }, chunk("a"), malformed)
    assert.strictEqual(await ended, "end_turn")
    assert.sameMembers(lines, [
      "an update could not be handled: handler",
      "an update could not be handled: its params have no sessionId, or its update no sessionUpdate"
    ])
  })

  it.effect("settles when the agent is gone, though an update's handler never ends [CLIENT-8.e]", () =>
    Effect.gen(function* () {
      const agent = FakeAgent.make()
      const begun = Promise.withResolvers<void>()
      yield* Effect.forkChild(Effect.promise(() => FakeAgent.open(agent)))
      const connection = yield* Connection.make(agent.stream, {
        onUpdate: () => {
          begun.resolve()
          return new Promise(() => undefined)
        }
      })
      const opened = yield* connection.newSession("/")
      const ended = yield* Effect.forkChild(Effect.flip(opened.prompt("Hello")))
      yield* Effect.promise(async () => {
        await agent.next()
        await agent.send(chunk("a"))
        await begun.promise
        await agent.die()
      })
      yield* connection.closed
      yield* TestClock.adjust("5 seconds")
      assert.match((yield* Fiber.join(ended)).message, /the connection to the agent ended/)
    })
  )

  it.effect("gives a handler that is only slow its time, though the agent has gone [CLIENT-7.a]", () =>
    Effect.gen(function* () {
      const agent = FakeAgent.make()
      const opened = FakeAgent.open(agent)
      let handled = 0
      let settle = (): void => undefined
      const onUpdate = async () => {
        await new Promise<void>((resolve) => (settle = resolve))
        handled++
      }
      const connection = yield* Connection.make(agent.stream, { onUpdate })
      const started = yield* connection.newSession("/")
      yield* Effect.promise(() => opened)
      const ended = yield* Effect.forkChild(Effect.map(started.prompt("Hello"), () => handled))
      yield* Effect.promise(async () => {
        const { id } = await agent.next()
        await agent.send(chunk("a"), chunk("b"), chunk("c"), { id, result: { stopReason: "end_turn" } })
        await agent.die()
      })
      yield* connection.closed
      for (let settled = 0; settled < 3; settled++) {
        yield* TestClock.adjust("4 seconds")
        settle()
        yield* Effect.promise(() => new Promise(setImmediate))
      }
      assert.strictEqual(yield* Fiber.join(ended), 3)
    })
  )

  it("waits for the end of a turn that was given up before it sends the next", async () => {
    const { agent, session: started } = await session()
    const stop = new AbortController()
    const given = started.prompt("one", { signal: stop.signal }).catch(String)
    const { id } = await agent.next()
    stop.abort(new Error("enough"))
    await given
    await agent.next()
    await agent.next()
    const second = started.prompt("two")
    // Nothing was sent meanwhile: the next message is the answer to this.
    await agent.send({ id: 1, method: "_nobody/knows", params: {} })
    assert.strictEqual((await agent.next()).id, 1)
    await agent.send({ id, result: { stopReason: "cancelled" } })
    assert.strictEqual((await agent.answer({ result: { stopReason: "end_turn" } })).params.prompt[0].text, "two")
    assert.strictEqual(await second, "end_turn")
  })

  it("that fails settles after its updates as well [CLIENT-7.a]", async () => {
    let handled = 0
    const onUpdate = async () => {
      await new Promise(setImmediate)
      handled++
    }
    const { agent, session: started } = await session({ onUpdate })
    const ended = started.prompt("Hello").catch((cause: { readonly code?: number }) => cause.code)
    const error = { code: -32603, message: "no" }
    await agent.send(chunk("a"), chunk("b"), chunk("c"), { id: (await agent.next()).id, error })
    assert.strictEqual(await ended, -32603)
    assert.strictEqual(handled, 3)
  })

  it("goes on when an update's handler throws [CLIENT-7.a]", async () => {
    const lines: Array<string> = []
    const handled: Array<string> = []
    const { agent, session: started } = await session({
      log: (line) => lines.push(line),
      onUpdate: (told) => {
        handled.push(JSON.stringify(told.update))
        throw new Error("handler")
      }
    })
    const ended = started.prompt("Hello")
    await agent.send(chunk("a"), chunk("b"), { id: (await agent.next()).id, result: { stopReason: "end_turn" } })
    assert.strictEqual(await ended, "end_turn")
    assert.lengthOf(handled, 2)
    assert.deepStrictEqual(lines, Array(2).fill("an update could not be handled: handler"))
  })

  it("rejects with one ordinary error when the agent is gone, and so does every open call [CLIENT-8.e]", async () => {
    const { agent, connection, session: started } = await session()
    const open = [started.prompt("Hello"), connection.newSession("/")].map((call) =>
      call.catch((cause: unknown) => cause)
    )
    await agent.next()
    await agent.die()
    const errors = await Promise.all(open)
    assert.deepStrictEqual(errors.map(String), [
      "Error: the connection to the agent ended, before it answered session/prompt",
      "Error: the connection to the agent ended, before it answered session/new"
    ])
  })

  it("cancels its turn when its signal is aborted, and rejects with the reason", async () => {
    const { agent, session: started } = await session()
    const stop = new AbortController()
    const ended = started.prompt("Hello", { signal: stop.signal }).catch((cause: unknown) => cause)
    const { id } = await agent.next()
    stop.abort(new Error("enough"))
    assert.strictEqual(String(await ended), "Error: enough")
    assert.sameDeepMembers(
      [await agent.next(), await agent.next()],
      [
        { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: id } },
        { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s" } }
      ]
    )
  })
})

describe("cancelling a session", () => {
  it("answers its open permission questions, and those of no other [CLIENT-6.a]", async () => {
    const askedAbout: Array<string> = []
    const asked = Promise.withResolvers<void>()
    const {
      agent,
      connection,
      session: started
    } = await session({
      permission: ({ sessionId }) => {
        askedAbout.push(sessionId)
        if (sessionId === "other") asked.resolve()
        return new Promise(() => undefined)
      }
    })
    const question = (id: number, sessionId: string) => ({
      id,
      method: "session/request_permission",
      params: { sessionId, toolCall: { toolCallId: "1" }, options: [{ optionId: "a", name: "A", kind: "allow_once" }] }
    })
    const opening = connection.newSession("/other")
    await agent.answer({ result: { sessionId: "other" } })
    await opening
    // Nobody is asked about a session that is not open.
    await agent.send(question(0, "nobody"))
    assert.deepInclude(await agent.next(), { id: 0, result: { outcome: { outcome: "cancelled" } } })
    assert.deepStrictEqual(askedAbout, [])
    await agent.send(question(1, "s"), question(2, "other"))
    await asked.promise
    await started.cancel()
    const cancelled = { outcome: { outcome: "cancelled" } }
    assert.sameDeepMembers(
      [await agent.next(), await agent.next()],
      [
        { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s" } },
        { jsonrpc: "2.0", id: 1, result: cancelled }
      ]
    )
    // The other question is still open: a withdrawal of it is the next thing the client answers.
    await agent.send({ method: "$/cancel_request", params: { requestId: 2 } })
    assert.deepStrictEqual(await agent.next(), { jsonrpc: "2.0", id: 2, result: cancelled })
  })
})

describe("what cannot be sent", () => {
  it("fails alone: params without JSON text, in words that say so", async () => {
    const { agent, connection, session: started } = await session()
    const cycle: Record<string, unknown> = {}
    cycle["self"] = cycle
    for (const params of [{ n: 1n }, cycle] as ReadonlyArray<any>) {
      const message = await connection.request("_x/y", params).catch((cause: Error) => cause.message)
      assert.match(String(message), /^_x\/y was not sent: its params have no JSON text/)
    }
    const faulty: any = [{ type: "text", text: "a", _meta: { n: 1n } }]
    assert.match(await started.prompt(faulty).catch(String), /session\/prompt was not sent/)
    const alive = started.prompt("two")
    assert.strictEqual((await agent.answer({ result: { stopReason: "end_turn" } })).params.prompt[0].text, "two")
    assert.strictEqual(await alive, "end_turn")
  })

  it("is not sent when its signal is aborted already", async () => {
    const { agent, connection, session: started } = await session()
    const signal = AbortSignal.abort(new Error("never mind"))
    const events = async () => {
      for await (const _ of started.stream("one", { signal })) assert.fail("an event")
    }
    const given = [
      started.prompt("one", { signal }),
      started.setConfigOption("a", true, { signal }),
      events(),
      connection.newSession("/", { signal }),
      connection.deleteSession("s", { signal }),
      connection.authenticate("a", { signal }),
      connection.request("_x/y", {}, { signal })
    ]
    for (const one of given) {
      assert.strictEqual(String(await one.catch((cause: unknown) => cause)), "Error: never mind")
    }
    await agent.send({ id: 1, method: "_nobody/knows", params: {} })
    assert.strictEqual((await agent.next()).id, 1)
  })
})

describe("the reason of the end", () => {
  it("is told as it is: closed on this side", async () => {
    const { connection } = await session()
    await connection.close()
    assert.strictEqual(await connection.closed, "the connection was closed on this side")
  })

  it.effect("is told as it is: an agent that went first, though this side closes after it", () =>
    Effect.gen(function* () {
      const agent = FakeAgent.make()
      const scope = yield* Scope.make()
      const making = yield* Effect.forkChild(Scope.provide(Connection.make(agent.stream), scope))
      yield* Effect.promise(() => agent.answer({ result: { protocolVersion: 1 } }))
      const connection = yield* Fiber.join(making)
      yield* Effect.promise(agent.die)
      yield* connection.closed
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* connection.closed, "the connection to the agent ended")
    })
  )
})

describe("a permission question", () => {
  it.effect("of a later turn is asked, though a cancelled one never ends; that is waited for once [CLIENT-6.a]", () =>
    Effect.gen(function* () {
      const agent = FakeAgent.make()
      const opened = FakeAgent.open(agent)
      const connection = yield* Connection.make(agent.stream, { permission: ({ options }) => options[0]?.optionId })
      const started = yield* connection.newSession("/")
      yield* Effect.promise(() => opened)
      const next = Effect.promise(agent.next)
      const first = yield* Effect.forkChild(started.prompt("one"))
      yield* next
      yield* Fiber.interrupt(first)
      assert.sameMembers([(yield* next).method, (yield* next).method], ["$/cancel_request", "session/cancel"])
      const second = yield* Effect.forkChild(started.prompt("two"))
      yield* TestClock.adjust("5 seconds")
      const { id, params } = yield* next
      assert.strictEqual(params.prompt[0].text, "two")
      const options = [{ optionId: "a", name: "A", kind: "allow_once" }]
      const question = { sessionId: "s", toolCall: { toolCallId: "1" }, options }
      yield* Effect.promise(() => agent.send({ id: 7, method: "session/request_permission", params: question }))
      assert.deepStrictEqual((yield* next).result.outcome, { outcome: "selected", optionId: "a" })
      yield* Effect.promise(() => agent.send({ id, result: { stopReason: "end_turn" } }))
      assert.strictEqual(yield* Fiber.join(second), "end_turn")
      const third = yield* Effect.forkChild(started.prompt("three"))
      const answer = { result: { stopReason: "end_turn" } }
      assert.strictEqual((yield* Effect.promise(() => agent.answer(answer))).params.prompt[0].text, "three")
      assert.strictEqual(yield* Fiber.join(third), "end_turn")
    })
  )

  it("that crosses the cancel of its turn is answered cancelled; the next turn may ask again [CLIENT-6.a]", async () => {
    const { agent, session: started } = await session({ permission: ({ options }) => options[0]?.optionId })
    const question = (id: number) => ({
      id,
      method: "session/request_permission",
      params: {
        sessionId: "s",
        toolCall: { toolCallId: "1" },
        options: [{ optionId: "a", name: "A", kind: "allow_once" }]
      }
    })
    const first = started.prompt("one")
    const { id } = await agent.next()
    await started.cancel()
    await agent.next()
    // Given while the cancelled turn is still ending, it waits for that, and allows nothing.
    const second = started.prompt("two")
    await agent.send(question(7), { id, result: { stopReason: "cancelled" } })
    assert.deepStrictEqual(await agent.next(), { jsonrpc: "2.0", id: 7, result: { outcome: { outcome: "cancelled" } } })
    assert.strictEqual(await first, "cancelled")
    const prompt = await agent.next()
    await agent.send(question(8))
    const outcome = { outcome: "selected", optionId: "a" }
    assert.deepStrictEqual(await agent.next(), { jsonrpc: "2.0", id: 8, result: { outcome } })
    await agent.send({ id: prompt.id, result: { stopReason: "end_turn" } })
    assert.strictEqual(await second, "end_turn")
  })
})

describe("a permission policy", () => {
  const asks = (id: number) => ({
    id,
    method: "session/request_permission",
    params: {
      sessionId: "s",
      toolCall: { toolCallId: "1" },
      options: [{ optionId: "a", name: "A", kind: "allow_once" }]
    }
  })

  it("that fails has not allowed anything, and says so", async () => {
    const lines: Array<string> = []
    const { agent } = await session({
      log: (line) => lines.push(line),
      permission: () => Promise.reject(new Error('{"asked":1}'))
    })
    await agent.send(asks(1))
    const outcome = { outcome: "cancelled" }
    assert.deepStrictEqual(await agent.next(), { jsonrpc: "2.0", id: 1, result: { outcome } })
    assert.deepStrictEqual(lines, ['a permission question could not be answered: {"asked":1}'])
  })

  it("that chooses what was not offered is told, and has chosen nothing", async () => {
    const lines: Array<string> = []
    const chosen: Array<any> = ["allow_once", null]
    const { agent } = await session({ log: (line) => lines.push(line), permission: () => chosen.shift() })
    await agent.send(asks(1), asks(2))
    const outcomes = [await agent.next(), await agent.next()].map(({ result }) => result.outcome.outcome)
    assert.deepStrictEqual(outcomes, ["cancelled", "cancelled"])
    assert.deepStrictEqual(lines, [
      'a permission question was answered with "allow_once", which is no optionId of it; it offered a'
    ])
  })

  it.effect("may give an Effect, which is interrupted when the question is withdrawn", () =>
    Effect.gen(function* () {
      const agent = FakeAgent.make()
      const asked = Promise.withResolvers<void>()
      const interrupted = Promise.withResolvers<void>()
      yield* Effect.forkChild(Effect.promise(() => FakeAgent.open(agent)))
      const connection = yield* Connection.make(agent.stream, {
        permission: ({ options }) =>
          options.length === 1
            ? Effect.succeed(options[0]?.optionId)
            : Effect.sync(asked.resolve).pipe(
                Effect.andThen(Effect.never),
                Effect.onInterrupt(() => Effect.sync(interrupted.resolve))
              )
      })
      yield* connection.newSession("/")
      yield* Effect.promise(async () => {
        await agent.send(asks(1))
        const outcome = { outcome: "selected", optionId: "a" }
        assert.deepStrictEqual(await agent.next(), { jsonrpc: "2.0", id: 1, result: { outcome } })
        const { params, ...rest } = asks(2)
        await agent.send({ ...rest, params: { ...params, options: [] } })
        await asked.promise
        await agent.send({ method: "$/cancel_request", params: { requestId: 2 } })
        await interrupted.promise
      })
    })
  )
})

describe("an update's handler", () => {
  it.effect("may give an Effect; the next update waits for it", () =>
    Effect.gen(function* () {
      const agent = FakeAgent.make()
      const heard: Array<string> = []
      yield* Effect.forkChild(Effect.promise(() => FakeAgent.open(agent)))
      const connection = yield* Connection.make(agent.stream, {
        onUpdate: ({ update: told }) =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => heard.push(told.sessionUpdate))
          )
      })
      const opened = yield* connection.newSession("/")
      const ended = yield* Effect.forkChild(opened.prompt("Hello"))
      const updates = ["a", "b"].map((sessionUpdate) => update({ sessionUpdate }))
      yield* Effect.promise(() => agent.answer({ result: { stopReason: "end_turn" } }, ...updates))
      assert.strictEqual(yield* Fiber.join(ended), "end_turn")
      assert.deepStrictEqual(heard, ["a", "b"])
    })
  )

  it("that never comes to an end holds up its own session's prompt, and no call", async () => {
    const { agent } = await session({
      tools: [{ name: "a", method: "_a", execute: () => "answered" }],
      onUpdate: () => new Promise(() => undefined)
    })
    await agent.send(chunk("a"), { id: 5, method: "_a", params: { _meta: { "org.mini-me/sessionId": "s" } } })
    assert.deepInclude(await agent.next(), { id: 5, result: "answered" })
  })
})

describe("a connection that was closed here", () => {
  it("says so to whoever goes on", async () => {
    const { connection, session: started } = await session()
    await connection.close()
    const error = await started.prompt("Hello").catch(String)
    assert.strictEqual(error, "Error: the connection was closed on this side, before it answered session/prompt")
  })
})

describe("an agent's words", () => {
  it("cannot break the line they are told on", async () => {
    const { agent, session: started } = await session()
    const ended = started.prompt("Hello").catch((cause: unknown) => String(cause))
    await agent.send({ id: (await agent.next()).id, error: { code: -1, message: "a\nb\u001b[31m\u2028" } })
    assert.strictEqual(await ended, "Error: the agent answered session/prompt with an error: a\\nb\\u001b[31m\\u2028")
  })
})

describe("initialize", () => {
  const failure = (agent: FakeAgent.FakeAgent, options: Connection.Options = {}) =>
    Connection.make(agent.stream, options).pipe(
      Effect.scoped,
      Effect.flip,
      Effect.map(({ message }) => message)
    )

  it.effect("is waited for 60 s, with a line after 5 s [CLIENT-8.f CLIENT-8.g]", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const waiting = yield* Effect.forkChild(failure(FakeAgent.make(), { log: (line) => lines.push(line) }))
      yield* TestClock.adjust("4999 millis")
      assert.deepStrictEqual(lines, [])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(lines, ["waiting for the agent to answer initialize"])
      yield* TestClock.adjust("54 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 seconds")
      assert.match(yield* Fiber.join(waiting), /did not answer initialize within 60 s/)
    })
  )

  it.effect("may be given another time [CLIENT-8.f]", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(failure(FakeAgent.make(), { initializeTimeout: 1_500 }))
      yield* TestClock.adjust("1500 millis")
      assert.match(yield* Fiber.join(waiting), /did not answer initialize within 1.5 s/)
    })
  )

  it.effect("answered with another version, or none, is refused with a sentence [CLIENT-8.h]", () =>
    Effect.gen(function* () {
      for (const [result, version] of [
        [{ protocolVersion: 2 }, "2"],
        [{}, "null"],
        [null, "null"]
      ] as const) {
        const agent = FakeAgent.make()
        const refused = yield* Effect.forkChild(failure(agent))
        yield* Effect.promise(async () => agent.send({ id: (await agent.next()).id, result }))
        assert.strictEqual(
          yield* Fiber.join(refused),
          `the agent answered protocol version ${version}, and this client speaks 1 only; try another version of the agent`
        )
      }
    })
  )

  it.effect("answered with an error fails with its words", () =>
    Effect.gen(function* () {
      const agent = FakeAgent.make()
      const refused = yield* Effect.forkChild(failure(agent))
      const error = { code: -32000, message: "who are you", data: { hint: "log in" } }
      yield* Effect.promise(async () => agent.send({ id: (await agent.next()).id, error }))
      assert.strictEqual(
        yield* Fiber.join(refused),
        'the agent answered initialize with an error: who are you {"hint":"log in"}; ' +
          "it wants a login first: by a command of its own, or by one of its authMethods"
      )
    })
  )
})
