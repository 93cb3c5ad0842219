/** Tools defined, offered and called, without a connection. */
import { assert, describe, it } from "vitest"
import { Effect, Result } from "effect"
import { ClientTool, RequestHandler, Toolkit, ToolOffer, ToolResult } from "../src/index.ts"
import { defineTool, offerTools } from "../src/promise/index.ts"

const handle = (definitions: ReadonlyArray<unknown>, method: string, signal = new AbortController().signal) =>
  RequestHandler.handle(ToolOffer.make(Result.getOrThrow(Toolkit.decode(definitions))), {
    method,
    params: { q: 1, _meta: { "org.mini-me/sessionId": "s" } },
    signal
  })

const failed = (text: string) => ({ content: [{ type: "text", text }], isError: true })

describe("a definition", () => {
  it("that an agent would skip fails where it is made, with the agent's words [CLIENT-1.b CLIENT-1.c CLIENT-1.d]", () => {
    const execute = () => undefined
    assert.throws(() => defineTool({ name: "---", execute }), TypeError, "no name")
    assert.throws(
      () => ClientTool.make({ name: "a", method: "a", execute }),
      TypeError,
      'method "a" must start with "_"'
    )
    assert.throws(() => defineTool({ name: "a", execute: "x" as never }), TypeError, "execute must be a function")
    assert.throws(
      () => defineTool({ name: "a", method: "_org.mini-me/tools/list", execute }),
      TypeError,
      'method "_org.mini-me/tools/list" is reserved for discovery'
    )
  })

  it("whose schema JSON cannot write is refused before it breaks a connection [CLIENT-1.b]", () => {
    assert.throws(
      () => defineTool({ name: "a", inputSchema: { default: 1n }, execute: () => 1 }),
      TypeError,
      "inputSchema cannot be written as JSON"
    )
  })

  it("is judged by what of it reaches the wire [CLIENT-1.b]", () => {
    const refusal = (inputSchema: object) => () =>
      defineTool({ name: "a", inputSchema: inputSchema as never, execute: () => 1 })
    assert.throws(
      refusal(new Date(0)),
      TypeError,
      "not a tool description: inputSchema must be a JSON object, got string"
    )
    assert.throws(
      refusal({ toJSON: () => 5 }),
      TypeError,
      "not a tool description: inputSchema must be a JSON object, got number"
    )
  })

  it("whose properties throw is refused like any other [CLIENT-1.b CLIENT-1.g]", () => {
    const hostile = {
      get name(): string {
        throw new Error("no name for you")
      },
      execute: () => 1
    }
    assert.strictEqual(
      Result.getOrThrow(Result.flip(Toolkit.decode([hostile, { name: "a\nb" }]))).message,
      'tool 1: not a tool description: no name for you\ntool 2 ("a\\nb"): execute must be a function'
    )
  })

  it("may have its name from a getter of a class [CLIENT-1.h]", async () => {
    class Tool {
      get name() {
        return "a"
      }
      execute() {
        return this.name
      }
    }
    assert.strictEqual(await handle([defineTool(new Tool())], "_org.acp-client-tools/a"), "a")
  })

  it("may have its handler from a class [CLIENT-1.h]", async () => {
    class Tool {
      name = "a"
      execute() {
        return this.name
      }
    }
    assert.strictEqual(await handle([new Tool()], "_org.acp-client-tools/a"), "a")
  })

  it("is a plain object of any origin [CLIENT-1.h]", async () => {
    const definition: Record<string, unknown> = Object.create(null)
    Object.assign(definition, { name: "a", execute: () => "from afar", extra: 1 })
    assert.strictEqual(await handle([definition], "_org.acp-client-tools/a"), "from afar")
  })
})

describe("a set of tools", () => {
  const tools = [
    { name: "a b", execute: () => 1 },
    { name: "c", method: "_x", description: "C.", inputSchema: { type: "object" }, execute: () => 1 }
  ]

  it("says all that is wrong with it [CLIENT-1.e CLIENT-1.f CLIENT-1.g]", () => {
    const made = Toolkit.decode([
      ...tools,
      { name: "a-b", method: "_x" },
      { name: "A", method: "_x", execute: () => 1 },
      7
    ])
    assert.strictEqual(
      Result.getOrThrow(Result.flip(made)).message,
      [
        'tool 3 ("a-b"): execute must be a function',
        'tool 3 ("a-b"): duplicate tool name "client_a_b"',
        'tool 3 ("a-b"): duplicate method "_x"',
        'tool 4 ("A"): duplicate method "_x"',
        "tool 5: not a tool description: must be a JSON object, got number"
      ].join("\n")
    )
  })

  it("is offered as a list or as a promise of one [CLIENT-1.a META-1.a REQ-1.a]", () => {
    const list = [
      { name: "a b", method: "_org.acp-client-tools/a b" },
      { name: "c", description: "C.", method: "_x", inputSchema: { type: "object" } }
    ]
    assert.deepStrictEqual(offerTools(tools).capabilityMeta, { "org.mini-me/tools": list })
    assert.deepStrictEqual(offerTools(tools, { discovery: "request" }).capabilityMeta, { "org.mini-me/tools": true })
    assert.deepStrictEqual(offerTools([]).capabilityMeta, {})
  })

  it("throws a TypeError with every fault at the promise entry [CLIENT-1.g]", () => {
    assert.throws(
      () => offerTools([{ name: "" } as never, { name: "b" } as never]),
      TypeError,
      /no name\n.*function\n.*"b"/s
    )
  })
})

describe("a handler", () => {
  it("may give a value, a promise or an Effect", async () => {
    const tools = [
      { name: "value", execute: ({ q }: { readonly q?: unknown }) => ({ q }) },
      { name: "promise", execute: () => Promise.resolve("later") },
      ClientTool.make({ name: "effect", execute: (_, { sessionId }) => Effect.succeed(sessionId) }),
      { name: "bare", execute: () => Effect.fail("not today") }
    ]
    const answers = await Promise.all(
      ["value", "promise", "effect", "bare"].map((name) => handle(tools, `_org.acp-client-tools/${name}`))
    )
    assert.deepStrictEqual(answers, [{ q: 1 }, "later", "s", failed("not today")])
  })

  it("is interrupted, or its signal aborted, when the call is cancelled [CLIENT-2.c CLIENT-2.f CLIENT-2.g]", async () => {
    for (const wrap of [ClientTool.make, (definition: any) => definition]) {
      const begun = Promise.withResolvers<void>()
      const interrupted = Promise.withResolvers<void>()
      const tool = wrap({
        name: "a",
        execute: () =>
          Effect.sync(begun.resolve).pipe(
            Effect.andThen(Effect.never),
            Effect.onInterrupt(() => Effect.sync(interrupted.resolve))
          )
      })
      const cancel = new AbortController()
      const answer = handle([tool], "_org.acp-client-tools/a", cancel.signal).catch((cause: unknown) => cause)
      await begun.promise
      cancel.abort()
      assert.propertyVal(await answer, "code", -32800)
      await interrupted.promise
    }
  })

  it("is not begun when its cancel comes right behind [CLIENT-2.e]", async () => {
    let isBegun = false
    const cancel = new AbortController()
    const tool = { name: "a", execute: () => (isBegun = true) }
    const answer = handle([tool], "_org.acp-client-tools/a", cancel.signal).catch((cause: unknown) => cause)
    cancel.abort()
    assert.propertyVal(await answer, "code", -32800)
    await new Promise(setImmediate)
    assert.isFalse(isBegun)
  })

  it("is not begun when its cancel came first [CLIENT-2.e]", async () => {
    let isBegun = false
    const tool = { name: "a", execute: () => (isBegun = true) }
    const answer = await handle([tool], "_org.acp-client-tools/a", AbortSignal.abort()).catch((cause: unknown) => cause)
    assert.propertyVal(answer, "code", -32800)
    assert.isFalse(isBegun)
  })

  it("that throws gives a failed call with a readable text [CLIENT-4.d]", async () => {
    class Silent extends Error {}
    const hostile = {
      get message(): string {
        throw new Error("no")
      }
    }
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [new Error("two\nlines"), "two\nlines"],
      ['{"code":1}', '{"code":1}'],
      [{ message: "by shape" }, "by shape"],
      [new Silent(), "Error"],
      [42, "42"],
      [new Error("x".repeat(32 * 1024 * 1024)), "the tool returned more than 32505856 bytes"],
      [undefined, "the tool failed and did not say why"],
      [null, "the tool failed and did not say why"],
      [hostile, "the tool failed and did not say why"],
      [Object.create(null), "the tool failed and did not say why"]
    ]
    for (const [thrown, text] of cases) {
      const tool = {
        name: "a",
        execute: () => {
          throw thrown
        }
      }
      assert.deepStrictEqual(await handle([tool], "_org.acp-client-tools/a"), failed(text))
    }
  })

  it("that gives no JSON value gives a failed call that says so [CLIENT-4.a CLIENT-4.b CLIENT-4.c]", () => {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    const reads = (value: unknown): string => JSON.stringify(ToolResult.fromValue(value))
    assert.strictEqual(reads(undefined), "null")
    assert.match(
      reads(() => 1),
      /returned a function, which is not a JSON value/
    )
    assert.match(reads(Symbol("s")), /returned a symbol, which is not a JSON value/)
    assert.match(reads(1n), /cannot be written as JSON/)
    assert.match(reads(cycle), /cannot be written as JSON/)
    assert.match(reads({ toJSON: () => JSON.parse("{") }), /cannot be written as JSON/)
    const hostile = { toJSON: () => Promise.reject.call(Array, 1) }
    assert.match(reads(hostile), /cannot be written as JSON/)
    assert.match(reads("é".repeat(16 * 1024 * 1024)), /returned more than 32505856 bytes/)
    assert.lengthOf(reads("x".repeat(30 * 1024 * 1024)), 30 * 1024 * 1024 + 2)
  })
})

describe("a request", () => {
  const tools = [{ name: "a", execute: () => 1 }]
  const codeOf = (request: Partial<RequestHandler.Request>) =>
    RequestHandler.handle(ToolOffer.make(Result.getOrThrow(Toolkit.decode(tools))), {
      method: "_org.acp-client-tools/a",
      params: {},
      signal: new AbortController().signal,
      ...request
    }).catch((cause: { readonly code: number }) => cause.code)

  it("for the list is answered whatever the session, and only if it is whole [CLIENT-10.a REQ-7.a]", async () => {
    const params = { sessionId: "never seen", cwd: "/" }
    assert.deepStrictEqual(await codeOf({ method: "_org.mini-me/tools/list", params }), {
      tools: [{ name: "a", method: "_org.acp-client-tools/a" }]
    })
    assert.strictEqual(await codeOf({ method: "_org.mini-me/tools/list", params: { cwd: "/" } }), -32602)
  })

  it("for anything else is refused [CLIENT-2.h CLIENT-5.a CLIENT-5.c]", async () => {
    assert.strictEqual(await codeOf({}), -32602)
    assert.strictEqual(await codeOf({ method: "_nobody/knows" }), -32601)
    assert.strictEqual(await codeOf({ method: "fs/read_text_file" }), -32601)
    assert.strictEqual(await codeOf({ method: "constructor" }), -32601)
  })
})
