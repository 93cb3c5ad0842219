/** Models of the AI SDK's provider interface: a made one, and the openai-compatible provider against a local server. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { text as readAll } from "node:stream/consumers"
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { LanguageModel, OpenAiCompatible } from "../src/ai-sdk/index.ts"
import type { Model, ModelRequest } from "../src/reference/index.ts"

const request: ModelRequest = {
  systemPrompt: "Be brief.",
  index: 0,
  messages: [
    { role: "user", text: "Hello" },
    { role: "assistant", text: "", toolCalls: [{ id: "1", name: "client_a", arguments: { q: 1 } }] },
    { role: "tool", results: [{ id: "1", name: "client_a", text: "no", failed: true }] },
    { role: "assistant", text: "", toolCalls: [] },
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

/** A model that streams these parts, and writes down what it was asked. */
const streaming = (
  parts: ReadonlyArray<LanguageModelV4StreamPart>,
  asked: Array<LanguageModelV4CallOptions> = []
): Model => {
  const model: LanguageModelV4 = {
    specificationVersion: "v4",
    provider: "test",
    modelId: "test",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("not streamed")),
    doStream: (options) => {
      asked.push(options)
      return Promise.resolve({ stream: ReadableStream.from<LanguageModelV4StreamPart>(parts) })
    }
  }
  return LanguageModel.toModel(model)
}

const answer = (model: Model) => Stream.runCollect(model.answer(request))

describe("a model of the AI SDK", () => {
  it.effect("is sent the history in the provider's form, without empty messages", () =>
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
        { role: "user", content: [{ type: "text", text: "And?" }] }
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

  it.effect("that fails says so in words [TURN-4.f]", () =>
    Effect.gen(function* () {
      const error = Object.assign(new Error("Unauthorized"), { statusCode: 401 })
      const failure = (part: LanguageModelV4StreamPart) =>
        answer(streaming([part])).pipe(
          Effect.flip,
          Effect.map(({ message }) => message)
        )
      assert.strictEqual(yield* failure({ type: "error", error }), "the model failed: Unauthorized (HTTP 401)")
      assert.strictEqual(yield* failure(finish("error")), 'the model failed: its answer ended with "error"')
    })
  )
})

/** A chat-completions server on loopback, for one test. */
const serving = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(listener)
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      })
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`))

const sse = (...chunks: ReadonlyArray<object | string>): string =>
  chunks.map((chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`).join("")
const delta = (fields: object, finishReason: string | null = null) => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta: fields, finish_reason: finishReason }]
})

describe("the openai-compatible provider", () => {
  it.effect("asks a chat-completions server and reads its stream [CFG-1.l]", () =>
    Effect.gen(function* () {
      const bodies: Array<any> = []
      const baseUrl = yield* serving((incoming, response) => {
        void readAll(incoming).then((body) =>
          bodies.push({ url: incoming.url, key: incoming.headers.authorization, ...JSON.parse(body) })
        )
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.end(
          sse(
            delta({ role: "assistant", content: "Let me " }),
            delta({ content: "look." }),
            delta({
              tool_calls: [{ index: 0, id: "1", type: "function", function: { name: "client_a", arguments: '{"q"' } }]
            }),
            delta({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] }),
            delta({}, "tool_calls"),
            "[DONE]"
          )
        )
      })
      const model = yield* OpenAiCompatible.make({ baseUrl, name: "m", apiKey: "secret" })
      assert.deepStrictEqual(yield* answer(model), [
        { type: "text", text: "Let me " },
        { type: "text", text: "look." },
        { type: "toolCall", id: "1", name: "client_a", arguments: '{"q":1}' },
        { type: "finish", reason: "stop" }
      ] as never)
      const [{ key, messages, model: name, stream, tools, url }] = bodies as [any]
      assert.deepStrictEqual(
        { key, name, stream, url },
        { key: "Bearer secret", name: "m", stream: true, url: "/v1/chat/completions" }
      )
      assert.deepStrictEqual(
        messages.map(({ role }: { readonly role: string }) => role),
        ["system", "user", "assistant", "tool", "user"]
      )
      assert.strictEqual(tools[0].function.name, "client_a")
    }).pipe(Effect.scoped)
  )

  it.effect("that answers with an error is a failed model, and the key is not in its words [TURN-4.f CLI-6.c]", () =>
    Effect.gen(function* () {
      const baseUrl = yield* serving((incoming, response) => {
        response.writeHead(401, { "content-type": "application/json" })
        response.end(JSON.stringify({ error: { message: `no such key: ${incoming.headers.authorization}` } }))
        incoming.resume()
      })
      const model = yield* OpenAiCompatible.make({ baseUrl, name: "m", apiKey: "top-secret" })
      const failure = yield* Effect.flip(answer(model))
      assert.match(failure.message, /^the model failed: no such key: Bearer \[secret\] \(HTTP 401\)$/)
      assert.notInclude(failure.message, "top-secret")
    }).pipe(Effect.scoped)
  )

  it.effect("stops its request when it is interrupted", () =>
    Effect.gen(function* () {
      const asked = Promise.withResolvers<void>()
      const gone = Promise.withResolvers<void>()
      const baseUrl = yield* serving((incoming, response) => {
        incoming.resume()
        response.on("close", gone.resolve)
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(sse(delta({ content: "I will never" })))
        asked.resolve()
      })
      const asking = yield* Effect.forkChild(answer(yield* OpenAiCompatible.make({ baseUrl, name: "m" })))
      yield* Effect.promise(() => asked.promise)
      yield* Fiber.interrupt(asking)
      yield* Effect.promise(() => gone.promise)
    }).pipe(Effect.scoped)
  )
})
