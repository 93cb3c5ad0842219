/** The Model over a model of the AI SDK's provider interface. */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { LanguageModel } from "../src/ai-sdk/index.ts"
import type { Model, ModelRequest } from "../src/reference/index.ts"

const request: ModelRequest = {
  systemPrompt: "Be brief.",
  index: 0,
  messages: [
    { role: "user", text: "Hello" },
    { role: "assistant", text: "", toolCalls: [{ id: "1", name: "client_a", arguments: { q: 1 } }] },
    { role: "tool", results: [{ id: "1", name: "client_a", text: "no", failed: true }] },
    { role: "user", text: "Wait." },
    { role: "user", text: "And?" }
  ],
  tools: [{ name: "client_a", description: "A.", parameters: { type: "object", properties: {} } }]
}

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as never
const finish = (unified: "stop" | "length" | "content-filter" | "error"): LanguageModelV4StreamPart => ({
  type: "finish",
  usage,
  finishReason: { unified, raw: undefined }
})

const made = {
  specificationVersion: "v4",
  provider: "test",
  modelId: "test",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("not streamed"))
} as const

/** A model that does what it is told to, and writes down what it was asked. */
const doing = (
  doStream: () => Promise<ReadonlyArray<LanguageModelV4StreamPart>>,
  asked: Array<LanguageModelV4CallOptions> = [],
  settings: LanguageModel.Options = {}
): Model => {
  const model: LanguageModelV4 = {
    ...made,
    doStream: async (options) => {
      asked.push(options)
      return { stream: ReadableStream.from<LanguageModelV4StreamPart>(await doStream()) }
    }
  }
  return LanguageModel.toModel(model, settings)
}

const streaming = (parts: ReadonlyArray<LanguageModelV4StreamPart>, asked?: Array<LanguageModelV4CallOptions>): Model =>
  doing(() => Promise.resolve(parts), asked)

const answer = (model: Model) => Stream.runCollect(model.answer(request))

describe("a model of the AI SDK", () => {
  it.effect("is sent the history in the provider's form, no two messages of the user in a row", () =>
    Effect.gen(function* () {
      const asked: Array<LanguageModelV4CallOptions> = []
      yield* answer(streaming([finish("stop")], asked))
      assert.deepStrictEqual(asked[0]?.prompt, [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "Hello" }] },
        { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: "client_a", input: { q: 1 } }] },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "1", toolName: "client_a", output: { type: "error-text", value: "no" } }
          ]
        },
        { role: "user", content: [{ type: "text", text: "Wait.\n\nAnd?" }] }
      ])
      assert.deepStrictEqual(asked[0]?.tools, [
        { type: "function", name: "client_a", description: "A.", inputSchema: { type: "object", properties: {} } }
      ])
    })
  )

  it.effect("gives text, thoughts and calls as they come, and how it ended", () =>
    Effect.gen(function* () {
      const parts: ReadonlyArray<LanguageModelV4StreamPart> = [
        { type: "stream-start", warnings: [] },
        { type: "reasoning-delta", id: "r", delta: "Hm." },
        { type: "text-delta", id: "t", delta: "Hel" },
        { type: "text-delta", id: "t", delta: "lo" },
        { type: "tool-call", toolCallId: "1", toolName: "client_a", input: "{" }
      ]
      const heard = [
        { type: "thought", text: "Hm." },
        { type: "text", text: "Hel" },
        { type: "text", text: "lo" },
        { type: "toolCall", id: "1", name: "client_a", arguments: "{" }
      ]
      for (const [unified, reason] of [
        ["stop", "stop"],
        ["length", "length"],
        ["content-filter", "refusal"]
      ] as const) {
        assert.deepStrictEqual(yield* answer(streaming([...parts, finish(unified)])), [
          ...heard,
          { type: "finish", reason }
        ] as never)
      }
    })
  )

  it.effect(
    "is told names no longer than it takes, also of tools that are gone, and is understood [NAME-3.b NAME-3.c]",
    () =>
      Effect.gen(function* () {
        const asked: Array<LanguageModelV4CallOptions> = []
        const gone = "client_that_is_gone"
        const call = () => {
          const toolName = asked[0]?.tools?.[1]?.name ?? ""
          return Promise.resolve([
            { type: "tool-call", toolCallId: "2", toolName, input: "{}" } as const,
            finish("stop")
          ])
        }
        const events = yield* Stream.runCollect(
          doing(call, asked, { toolNameLimit: 16 }).answer({
            ...request,
            messages: [
              { role: "assistant", text: "", toolCalls: [{ id: "1", name: gone, arguments: {} }] },
              { role: "tool", results: [{ id: "1", name: gone, text: "", failed: false }] }
            ],
            tools: [
              ...request.tools,
              { name: "client_of_many_words", description: "B.", parameters: request.tools[0]!.parameters }
            ]
          })
        )
        const names = JSON.stringify(asked).match(/"(?:toolName|name)":"[^"]*"/g) ?? []
        assert.deepStrictEqual(names, [
          '"toolName":"client_t_1ga6p8g"',
          '"toolName":"client_t_1ga6p8g"',
          '"name":"client_a"',
          '"name":"client_o_16fylhq"'
        ])
        assert.deepStrictEqual(events[0], { type: "toolCall", id: "2", name: "client_of_many_words", arguments: "{}" })
      })
  )

  it.effect("is told to stop at once, and not waited for, when nobody listens any more [TURN-1.a]", () =>
    Effect.gen(function* () {
      for (const cancel of [
        () => Promise.reject(new Error("already over")),
        () => new Promise<void>(() => undefined)
      ]) {
        const order: Array<string> = []
        const model: LanguageModelV4 = {
          ...made,
          doStream: ({ abortSignal }) => {
            abortSignal?.addEventListener("abort", () => order.push("aborted"))
            const stream = new ReadableStream<LanguageModelV4StreamPart>({
              start: (controller) => controller.enqueue({ type: "text-delta", id: "t", delta: "Well" }),
              cancel: () => {
                order.push("cancelled")
                return cancel()
              }
            })
            return Promise.resolve({ stream })
          }
        }
        const heard = yield* Deferred.make<void>()
        const listening = LanguageModel.toModel(model)
          .answer(request)
          .pipe(Stream.runForEach(() => Deferred.succeed(heard, undefined)))
        const fiber = yield* Effect.forkChild(listening)
        yield* Deferred.await(heard)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(order, ["aborted", "cancelled"])
      }
    })
  )

  it.effect("that fails says so in words [TURN-4.f]", () =>
    Effect.gen(function* () {
      const error = Object.assign(new Error("Unauthorized"), { statusCode: 401 })
      const failure = (part: LanguageModelV4StreamPart) =>
        answer(streaming([part])).pipe(
          Effect.flip,
          Effect.map(({ message }) => message)
        )
      assert.strictEqual(
        yield* failure({ type: "error", error }),
        "the model failed: Unauthorized (HTTP 401); check the API key in the environment; model.apiKeyEnv can name its variable"
      )
      assert.strictEqual(
        yield* failure({ type: "error", error: { message: "Overloaded", code: "busy" } }),
        "the model failed: Overloaded"
      )
      assert.strictEqual(yield* failure({ type: "error", error: {} }), "the model failed: no reason given")
      assert.strictEqual(yield* failure(finish("error")), 'the model failed: its answer ended with "error"')
    })
  )

  const refusing = (statusCode: number, headers: Readonly<Record<string, string>> = {}) =>
    Promise.reject(Object.assign(new Error("busy"), { statusCode, responseHeaders: headers }))

  it.effect("is asked again after one second, and after two more, when it does not answer", () =>
    Effect.gen(function* () {
      const asked: Array<LanguageModelV4CallOptions> = []
      const asking = yield* Effect.forkChild(Effect.flip(answer(doing(() => refusing(503), asked))))
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(asked.length, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(asked.length, 2)
      yield* TestClock.adjust("1999 millis")
      assert.strictEqual(asked.length, 2)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(asked.length, 3)
      assert.strictEqual((yield* Fiber.join(asking)).message, "the model failed: busy (HTTP 503)")
    })
  )

  it.effect("is left alone as long as it asks, up to ten seconds", () =>
    Effect.gen(function* () {
      const asked: Array<LanguageModelV4CallOptions> = []
      const model = doing(
        () => (asked.length === 1 ? refusing(429, { "retry-after": "10" }) : Promise.resolve([finish("stop")])),
        asked
      )
      const asking = yield* Effect.forkChild(answer(model))
      yield* TestClock.adjust("9999 millis")
      assert.strictEqual(asked.length, 1)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(asking), [{ type: "finish", reason: "stop" }])
      const failure = yield* Effect.flip(answer(doing(() => refusing(429, { "retry-after": "11" }))))
      assert.strictEqual(failure.message, "the model failed: busy (HTTP 429); the server asks to wait 11 s")
    })
  )

  it.effect("is not asked again once it has said something, nor when that cannot help", () =>
    Effect.gen(function* () {
      const overloaded = Object.assign(new Error("busy"), { statusCode: 503 })
      for (const model of [
        (asked: Array<LanguageModelV4CallOptions>) => streaming([{ type: "error", error: overloaded }], asked),
        (asked: Array<LanguageModelV4CallOptions>) => doing(() => refusing(400), asked)
      ]) {
        const asked: Array<LanguageModelV4CallOptions> = []
        yield* Effect.flip(answer(model(asked)))
        assert.strictEqual(asked.length, 1)
      }
    })
  )

  it.effect("is not asked again by somebody who was interrupted", () =>
    Effect.gen(function* () {
      const asked: Array<LanguageModelV4CallOptions> = []
      const asking = yield* Effect.forkChild(answer(doing(() => refusing(503), asked)))
      yield* TestClock.adjust("500 millis")
      yield* Fiber.interrupt(asking)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(asked.length, 1)
      assert.isTrue(asked[0]?.abortSignal?.aborted)
    })
  )
})
