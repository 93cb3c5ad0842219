/**
 * The provider `openai-compatible` against a local server that answers as Ollama, llama.cpp, Docker Model Runner, vLLM and
 * OpenAI do.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Stream } from "effect"
import { OpenAiCompatible } from "../src/ai-sdk/index.ts"
import type { FinishReason, ModelEvent, ModelRequest } from "../src/reference/index.ts"
import * as ChatServer from "./ChatServer.ts"

const request: ModelRequest = {
  systemPrompt: "Be brief.",
  index: 0,
  messages: [
    { role: "user", text: "Hello" },
    { role: "assistant", text: "", toolCalls: [{ id: "1", name: "client_search", arguments: { query: "x" } }] },
    { role: "tool", results: [{ id: "1", name: "client_search", text: "no", failed: true }] },
    { role: "user", text: "And?" }
  ],
  tools: [{ name: "client_search", description: "Searches.", parameters: { type: "object", properties: {} } }]
}

const ask = (baseUrl: string, apiKey?: string) =>
  Effect.flatMap(OpenAiCompatible.make({ baseUrl, name: "m", apiKey }), (model) =>
    Stream.runCollect(model.answer(request))
  )

const askServer = (answer: ChatServer.Answer) =>
  Effect.flatMap(ChatServer.make(answer), ({ baseUrl }) => ask(baseUrl)).pipe(Effect.scoped)

/** The sentence of a failing model, without the port. */
const sentence = <A, R>(answer: Effect.Effect<A, { readonly message: string }, R>) =>
  Effect.map(Effect.flip(answer), ({ message }) => message.replace(/127\.0\.0\.1:\d+/, "HOST"))

const text = (...texts: ReadonlyArray<string>): ReadonlyArray<ModelEvent> =>
  texts.map((said) => ({ type: "text", text: said }))
const thought = (...texts: ReadonlyArray<string>): ReadonlyArray<ModelEvent> =>
  texts.map((said) => ({ type: "thought", text: said }))
const call = (id: string, name: string, args: string): ModelEvent => ({ type: "toolCall", id, name, arguments: args })
const end = (reason: FinishReason): ModelEvent => ({ type: "finish", reason })

describe("the openai-compatible provider", () => {
  it.effect("asks the server for a stream, with the key, the history and the tools [CFG-1.l]", () =>
    Effect.gen(function* () {
      const server = yield* ChatServer.make(ChatServer.stream(ChatServer.recording("openai-text")))
      yield* ask(server.baseUrl, "secret")
      const [{ body, headers, url }] = server.asked as [ChatServer.Asked]
      assert.deepStrictEqual(
        { url, key: headers.authorization, model: body.model, stream: body.stream },
        { url: "/v1/chat/completions", key: "Bearer secret", model: "m", stream: true }
      )
      assert.deepStrictEqual(body.messages, [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "1", type: "function", function: { name: "client_search", arguments: '{"query":"x"}' } }]
        },
        { role: "tool", tool_call_id: "1", content: "no" },
        { role: "user", content: "And?" }
      ])
      assert.deepStrictEqual(body.tools, [
        {
          type: "function",
          function: {
            name: "client_search",
            description: "Searches.",
            parameters: { type: "object", properties: {} }
          }
        }
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("asks no later than it is interrupted: a server that never answers sees its connection close", () =>
    Effect.gen(function* () {
      const asked = Promise.withResolvers<void>()
      const gone = Promise.withResolvers<void>()
      const { baseUrl } = yield* ChatServer.make((response) => {
        response.on("close", gone.resolve)
        asked.resolve()
      })
      const asking = yield* Effect.forkChild(ask(baseUrl))
      yield* Effect.promise(() => asked.promise)
      yield* Fiber.interrupt(asking)
      yield* Effect.promise(() => gone.promise)
    }).pipe(Effect.scoped)
  )

  it.effect("stops an answer that it is interrupted in", () =>
    Effect.gen(function* () {
      const begun = Promise.withResolvers<void>()
      const gone = Promise.withResolvers<void>()
      const { baseUrl } = yield* ChatServer.make((response) => {
        response.on("close", gone.resolve)
        ChatServer.writeStream(response, ChatServer.recording("openai-cut"))
      })
      const model = yield* OpenAiCompatible.make({ baseUrl, name: "m" })
      const asking = yield* Effect.forkChild(
        Stream.runForEach(model.answer(request), () => Effect.sync(() => begun.resolve()))
      )
      yield* Effect.promise(() => begun.promise)
      yield* Fiber.interrupt(asking)
      yield* Effect.promise(() => gone.promise)
    }).pipe(Effect.scoped)
  )
})

const answers: ReadonlyArray<readonly [what: string, recording: string, events: ReadonlyArray<ModelEvent>]> = [
  ["text of Ollama", "ollama-text", [...text("Grüße", " aus Köln 🌉"), end("stop")]],
  ["text of llama.cpp, with comments that keep it alive", "llama-cpp-text", [...text("Two", " words"), end("stop")]],
  ["text of Docker Model Runner", "docker-model-runner-text", [...text("Hello", "!"), end("stop")]],
  ["text of vLLM", "vllm-text", [...text("One", " more"), end("stop")]],
  ["text of OpenAI", "openai-text", [...text("Saturn", " – the sixth"), end("stop")]],
  [
    "a call in small pieces",
    "openai-tool-call",
    [call("call_IPFxz4Q0YCdQ", "client_search", '{"query":"Zürich"}'), end("stop")]
  ],
  [
    "calls that come whole",
    "ollama-tool-calls",
    [
      call("call_x1rq8d2m", "client_search", '{"query":"naïve café"}'),
      call("call_p9v0k3ws", "client_open", "{}"),
      end("stop")
    ]
  ],
  [
    "calls without an index",
    "ollama-tool-calls-without-index",
    [
      call("call_a7t2", "client_search", '{"query":"a"}'),
      call("call_b4n9", "client_search", '{"query":"b"}'),
      end("stop")
    ]
  ],
  [
    "calls that share an index",
    "ollama-tool-calls-at-index-0",
    [
      call("call_a7t2", "client_search", '{"query":"a"}'),
      call("call_b4n9", "client_search", '{"query":"b"}'),
      end("stop")
    ]
  ],
  [
    "calls one after the other",
    "openai-parallel-tool-calls",
    [
      call("call_one", "client_search", '{"query":"a"}'),
      call("call_two", "client_search", '{"query":"b"}'),
      end("stop")
    ]
  ],
  [
    "calls whose pieces are interleaved",
    "vllm-parallel-tool-calls",
    [
      call("chatcmpl-tool-1f", "client_search", '{"query":"a"}'),
      call("chatcmpl-tool-2e", "client_open", '{"path":"/b"}'),
      end("stop")
    ]
  ],
  [
    "calls with empty arguments, and with none",
    "openai-empty-arguments",
    [call("call_one", "client_open", ""), call("call_two", "client_open", ""), end("stop")]
  ],
  [
    "arguments that are not JSON, as they are",
    "vllm-arguments-not-json",
    [call("chatcmpl-tool-3d", "client_search", "query = everything"), end("stop")]
  ],
  [
    "reasoning as thoughts (reasoning_content)",
    "llama-cpp-tool-call",
    [...thought("I have to", " look."), call("nY0dV7", "client_search", '{"query":"a\\nb"}'), end("stop")]
  ],
  [
    "reasoning as thoughts (reasoning, vLLM)",
    "vllm-reasoning",
    [...thought("Short", " thought."), ...text("Done."), end("stop")]
  ],
  [
    "reasoning as thoughts (reasoning, Ollama)",
    "ollama-reasoning",
    [...thought("The user", " greets."), ...text("Hello."), end("stop")]
  ],
  ["an end for length", "openai-length", [...text("A very long"), end("length")]],
  [
    "an end for length in the midst of a call",
    "openai-length-in-tool-call",
    [call("call_one", "client_search", '{"query":"a ve'), end("length")]
  ],
  ["a filtered answer as a refusal", "openai-content-filter", [...text("I would"), end("refusal")]],
  ["a refusal in the model's words", "openai-refusal", [...text("I can’t", " help with that."), end("refusal")]]
]

describe("an answer of the openai-compatible provider", () => {
  for (const [what, recording, events] of answers) {
    it.effect(`gives ${what}`, () =>
      Effect.gen(function* () {
        const recorded = ChatServer.recording(recording)
        assert.deepStrictEqual(yield* askServer(ChatServer.stream(recorded)), [...events])
        // Each byte for itself: characters and line ends come in halves.
        const inBytes = { chunkSize: 1, lineEnd: "\r\n" }
        assert.deepStrictEqual(yield* askServer(ChatServer.stream(recorded, inBytes)), [...events])
      })
    )
  }
})

const errorBody = (message: string) => JSON.stringify({ error: { message, type: "error", param: null, code: null } })
const json = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  ChatServer.body(status, "application/json", body, headers)

/** What a user reads when the server answers like this. */
const failures: ReadonlyArray<readonly [what: string, answer: ChatServer.Answer, sentence: string]> = [
  [
    "a key that is not accepted: what to check",
    json(401, errorBody("Incorrect API key provided")),
    "the model failed: Incorrect API key provided (HTTP 401); check the API key in the environment; model.apiKeyEnv can name its variable"
  ],
  [
    "vLLM's way to refuse a key",
    json(401, '{"error":"Unauthorized"}'),
    "the model failed: Unauthorized (HTTP 401); check the API key in the environment; model.apiKeyEnv can name its variable"
  ],
  [
    "a model the server does not have: what to check",
    json(404, errorBody('model "m" not found')),
    'the model failed: model "m" not found (HTTP 404); check model.baseUrl and model.name'
  ],
  [
    "an address the server does not have: what to check",
    json(404, '{"detail":"No such route"}'),
    "the model failed: No such route (HTTP 404); check model.baseUrl and model.name"
  ],
  [
    "a limit that lasts: how long",
    json(429, errorBody("Rate limit reached"), { "retry-after": "20" }),
    "the model failed: Rate limit reached (HTTP 429); the server asks to wait 20 s"
  ],
  [
    "a limit until a date: until when",
    json(429, errorBody("Rate limit reached"), { "retry-after": "Wed, 02 Dec 2026 07:28:00 GMT" }),
    "the model failed: Rate limit reached (HTTP 429); the server asks to wait until Wed, 02 Dec 2026 07:28:00 GMT"
  ],
  [
    "a request the server does not take",
    json(400, errorBody("maximum context length is 4096 tokens")),
    "the model failed: maximum context length is 4096 tokens (HTTP 400)"
  ],
  [
    "a tool the server does not take, by its place",
    json(400, errorBody("tools.0.custom.input_schema: JSON schema is invalid")),
    "the model failed: tools.0.custom.input_schema: JSON schema is invalid (HTTP 400); this is about the tool client_search"
  ],
  [
    "a tool the server does not take, by its place in a list of a list",
    json(400, errorBody("tools[9].function_declarations[0].parameters.items: missing field")),
    "the model failed: tools[9].function_declarations[0].parameters.items: missing field (HTTP 400); this is about the tool client_search"
  ],
  [
    "a tool the server does not take, told beside its message",
    json(422, '{"message":"Invalid schema","detail":[{"loc":["body","tools",0,"function"]}]}'),
    "the model failed: Invalid schema (HTTP 422); this is about the tool client_search"
  ],
  [
    "a tool the server does not take, by its name",
    json(400, errorBody("Invalid schema for function 'client_search': tools[0] lacks items")),
    "the model failed: Invalid schema for function 'client_search': tools[0] lacks items (HTTP 400)"
  ],
  [
    "no tool where the server speaks of none that there is",
    json(400, errorBody("tools.1.name: too long; at most 0 tools, 0 of them required")),
    "the model failed: tools.1.name: too long; at most 0 tools, 0 of them required (HTTP 400)"
  ],
  [
    "a page instead of a stream",
    ChatServer.body(200, "text/html; charset=utf-8", "<!doctype html><title>Hello</title>"),
    "the model failed: http://HOST/v1/chat/completions answered with text/html, not with a stream of events; check model.baseUrl"
  ],
  [
    "a document instead of a stream",
    json(200, '{"choices":[{"message":{"content":"Hello"}}]}'),
    "the model failed: http://HOST/v1/chat/completions answered with application/json, not with a stream of events; check model.baseUrl"
  ],
  [
    "an error in the midst of an answer",
    ChatServer.stream(ChatServer.recording("vllm-error")),
    "the model failed: Internal server error"
  ],
  [
    "an error at the end of an answer",
    ChatServer.stream(ChatServer.recording("llama-cpp-error")),
    "the model failed: context shift is disabled"
  ],
  [
    "an error that is a text",
    ChatServer.stream('data: {"error":"the runner stopped"}\n\n'),
    "the model failed: the runner stopped"
  ],
  [
    "an answer the server gave up",
    ChatServer.stream(ChatServer.recording("vllm-abort")),
    'the model failed: its answer ended with "abort"'
  ],
  [
    "events that are not JSON",
    ChatServer.stream("data: Hello\n\n"),
    "the model failed: its answer is not in the format of its provider"
  ],
  [
    "events of another kind",
    ChatServer.stream('data: {"type":"message_start"}\n\n'),
    "the model failed: its answer is not in the format of its provider"
  ],
  ["a stream of nothing", ChatServer.stream(""), "the model failed: its answer was cut short"],
  [
    "an answer that ends without its end",
    ChatServer.stream(ChatServer.recording("openai-cut")),
    "the model failed: its answer was cut short"
  ],
  [
    "an answer whose connection breaks",
    ChatServer.brokenStream(ChatServer.recording("openai-cut")),
    "the model failed: its answer was cut short"
  ],
  [
    "a call that ends without its end",
    ChatServer.stream(ChatServer.recording("openai-cut-in-tool-call")),
    "the model failed: its answer was cut short"
  ],
  [
    "a call in which the connection breaks",
    ChatServer.brokenStream(ChatServer.recording("openai-cut-in-tool-call")),
    "the model failed: its answer was cut short"
  ]
]

describe("a failure of the openai-compatible provider", () => {
  for (const [what, answer, words] of failures) {
    it.effect(`names ${what}`, () =>
      Effect.gen(function* () {
        let requests = 0
        const counting: ChatServer.Answer = (...received) => {
          requests++
          answer(...received)
        }
        assert.strictEqual(yield* sentence(askServer(counting)), words)
        assert.strictEqual(requests, 1)
      })
    )
  }

  it.effect("asks whether the server is running when nobody listens", () =>
    Effect.gen(function* () {
      const server = createServer()
      yield* Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
      const { port } = server.address() as AddressInfo
      yield* Effect.promise(() => new Promise((resolve) => server.close(resolve)))
      assert.strictEqual(
        yield* sentence(ask(`http://127.0.0.1:${port}/v1`)),
        "the model failed: no answer from http://HOST (ECONNREFUSED); is the server running there?"
      )
    })
  )

  it.effect("does not hold the key, which servers repeat [TURN-4.f CLI-6.c]", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* ChatServer.make((response, asked, index) =>
        json(403, errorBody(`no such key: ${asked.headers.authorization}`))(response, asked, index)
      )
      assert.strictEqual(
        yield* sentence(ask(baseUrl, "top-secret")),
        "the model failed: no such key: Bearer [secret] (HTTP 403)"
      )
    }).pipe(Effect.scoped)
  )
})

describe("a request of the openai-compatible provider", () => {
  /** A clock on which a wait is over as soon as it begins; how long it was is written down, in ms. */
  const hurried = (waits: Array<number>): Clock.Clock => ({
    currentTimeMillisUnsafe: () => 0,
    currentTimeMillis: Effect.succeed(0),
    currentTimeNanosUnsafe: () => 0n,
    currentTimeNanos: Effect.succeed(0n),
    monotonicTimeNanosUnsafe: () => 0n,
    monotonicTimeNanos: Effect.succeed(0n),
    sleep: (duration) => Effect.sync(() => void waits.push(Duration.toMillis(duration)))
  })

  const passing: ReadonlyArray<readonly [what: string, answer: ChatServer.Answer, sentence: string]> = [
    [
      "a server that fails, with a page",
      ChatServer.body(500, "text/html", "<html><h1>Internal Server Error</h1></html>"),
      "the model failed: Internal Server Error (HTTP 500)"
    ],
    ["a server that has too much to do", json(503, ""), "the model failed: Service Unavailable (HTTP 503)"],
    [
      "a limit for a moment",
      json(429, errorBody("Rate limit reached"), { "retry-after": "1" }),
      "the model failed: Rate limit reached (HTTP 429); the server asks to wait 1 s"
    ],
    [
      "a connection that breaks before the answer",
      (response) => void response.destroy(),
      "the model failed: no answer from http://HOST (UND_ERR_SOCKET); is the server running there?"
    ]
  ]
  for (const [what, answer, words] of passing) {
    it.effect(`is made three times for ${what}`, () =>
      Effect.gen(function* () {
        const waits: Array<number> = []
        const { asked, baseUrl } = yield* ChatServer.make(answer)
        assert.strictEqual(
          yield* sentence(ask(baseUrl).pipe(Effect.provideService(Clock.Clock, hurried(waits)))),
          words
        )
        assert.strictEqual(asked.length, 3)
        assert.deepStrictEqual(waits, [1_000, 2_000])
        assert.deepStrictEqual(asked[2]?.body, asked[0]?.body)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("that is answered at last was not made in vain", () =>
    Effect.gen(function* () {
      const waits: Array<number> = []
      const busy = json(429, errorBody("busy"), { "retry-after": "7" })
      const recorded = ChatServer.stream(ChatServer.recording("openai-text"))
      const { asked, baseUrl } = yield* ChatServer.make((response, received, index) =>
        (index < 2 ? busy : recorded)(response, received, index)
      )
      const events = yield* ask(baseUrl).pipe(Effect.provideService(Clock.Clock, hurried(waits)))
      assert.deepStrictEqual(events, [...text("Saturn", " – the sixth"), end("stop")])
      assert.strictEqual(asked.length, 3)
      assert.deepStrictEqual(waits, [7_000, 7_000])
    }).pipe(Effect.scoped)
  )
})
