/** Both views of a session, from whatever entries there are. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { History, SessionEntry, SessionStore } from "../src/reference/index.ts"

const log: SessionStore.SessionLog = { append: () => Effect.void, close: Effect.void }
const of = (entries: ReadonlyArray<SessionEntry.SessionEntry>) => History.make(log, entries)

type Entry = SessionEntry.SessionEntry
const prompt = (text: string): Entry => ({ type: "prompt", content: [{ type: "text", text }] })
const answer = (text: string, ...ids: ReadonlyArray<string>): Entry => ({
  type: "answer",
  parts: text === "" ? [] : [{ type: "text", text }],
  toolCalls: ids.map((toolCallId) => ({ toolCallId, name: "a", title: "client: a", kind: "other", rawInput: [] }))
})
const result = (toolCallId: string, text: string): Entry => ({ type: "result", toolCallId, text, failed: false })

describe("History", () => {
  it.prop(
    "gives each call one result right behind it, in order, and tells the client the same [TURN-3.a]",
    [Schema.Array(SessionEntry.SessionEntry)],
    ([entries]) => {
      const history = of(entries)
      const messages = history.messages()
      for (const [index, message] of messages.entries()) {
        const before = messages[index - 1]
        const asked = before?.role === "assistant" ? before.toolCalls.map(({ id }) => id) : []
        assert.deepStrictEqual(message.role === "tool" ? message.results.map(({ id }) => id) : [], asked)
      }
      const read = messages.flatMap((message) => (message.role === "tool" ? message.results : []))
      const shown = history
        .updates()
        .flatMap((update) =>
          update.sessionUpdate === "tool_call_update" ? [[update.toolCallId, update.status, update.content]] : []
        )
      assert.deepStrictEqual(
        shown,
        read.map(({ failed, id, text }) => [
          id,
          failed ? "failed" : "completed",
          [{ type: "content", content: { type: "text", text } }]
        ])
      )
      assert.strictEqual(history.answers(), entries.filter(({ type }) => type === "answer").length)
    }
  )

  it("is the same however often a session was loaded on the way", () => {
    const entries: ReadonlyArray<Entry> = [
      prompt("1"),
      answer("", "x", "y"),
      { type: "begun", toolCallId: "x" },
      prompt("2"),
      answer("two"),
      { type: "remark", text: "enough" }
    ]
    const atOnce = of(entries)
    const history = of(entries.slice(0, 2))
    Effect.runSync(Effect.forEach(entries.slice(2), history.append))
    assert.deepStrictEqual(history.messages(), atOnce.messages())
    assert.deepStrictEqual(history.updates(), atOnce.updates())
    assert.deepStrictEqual(atOnce.messages()[2], {
      role: "tool",
      results: [
        { id: "x", name: "a", text: "[client tool error: cancelled]", failed: true },
        { id: "y", name: "a", text: "[client tool error: not started]", failed: true }
      ]
    })
  })

  it("forgets a refused prompt and what came of it, and not that its ids were used [TURN-4.c REPORT-1.a]", () => {
    const history = of([
      prompt("1"),
      answer("one"),
      prompt("2"),
      answer("", "x"),
      result("x", "r"),
      { type: "refused" }
    ])
    assert.deepStrictEqual(
      history.messages().map(({ role }) => role),
      ["user", "assistant"]
    )
    assert.strictEqual(history.answers(), 2)
    assert.isTrue(history.hasToolCall("x"))
    assert.isFalse(history.hasToolCall("y"))
  })

  it("keeps the first of two results of one call", () => {
    const history = of([prompt("1"), answer("", "x"), result("x", "first"), result("x", "second")])
    assert.include(JSON.stringify(history.messages()), "first")
    assert.notInclude(JSON.stringify(history.messages()), "second")
  })

  it.effect("keeps an entry although whoever adds it is interrupted meanwhile", () =>
    Effect.gen(function* () {
      const kept: Array<Entry> = []
      const goOn = yield* Deferred.make<void>()
      const history = History.make({
        ...log,
        append: (entries) =>
          Effect.andThen(
            Deferred.await(goOn),
            Effect.sync(() => void kept.push(...entries))
          )
      })
      const adding = yield* Effect.forkChild(history.append(prompt("1")), { startImmediately: true })
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(adding), { startImmediately: true })
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(interrupting)
      assert.deepStrictEqual(kept, [prompt("1")])
    })
  )

  it("tells when an entry could not be kept, goes on, and keeps it with the next", () => {
    const full = new SessionStore.StoreFailed({ message: "no space left" })
    let isFull = true
    const kept: Array<Entry> = []
    const history = History.make({
      ...log,
      append: (entries) => (isFull ? Effect.fail(full) : Effect.sync(() => void kept.push(...entries)))
    })
    Effect.runSync(history.append(prompt("1")))
    assert.strictEqual(Effect.runSync(Effect.flip(history.kept)), full)
    assert.lengthOf(history.messages(), 1)
    isFull = false
    Effect.runSync(history.append(answer("one")))
    Effect.runSync(history.kept)
    assert.deepStrictEqual(kept, [prompt("1"), answer("one")])
  })
})
