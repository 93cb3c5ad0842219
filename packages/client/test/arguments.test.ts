/** The arguments of a call, typed and decoded by schemas of several libraries (CLIENT-3). */
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import { Effect, Result, Schema, SchemaGetter } from "effect"
import * as v from "valibot"
import { assert, describe, expectTypeOf, it } from "vitest"
import { z } from "zod"
import { ClientTool, RequestHandler, Toolkit, type ToolDefinition, ToolOffer } from "../src/index.ts"
import { defineTool } from "../src/promise/index.ts"

const schemaOf = (tool: ToolDefinition): any =>
  Result.getOrThrow(Toolkit.decode([tool])).descriptions.map(({ inputSchema }) => inputSchema)[0]

const call = (tool: unknown, args: object) =>
  RequestHandler.handle(ToolOffer.make(Result.getOrThrow(Toolkit.decode([tool]))), {
    method: "_t",
    params: { ...args, _meta: { "org.mini-me/sessionId": "s" } },
    signal: new AbortController().signal
  })

const textOf = async (answer: Promise<unknown>): Promise<string> => {
  const { content, isError } = (await answer) as { content: [{ text: string }]; isError: boolean }
  assert.isTrue(isError)
  return content[0].text
}

const described = { name: "t", method: "_t" }

/** The same tool in the style of each library: a language that may be left out, and a depth written as text. */
const styles = {
  effect: ClientTool.make({
    ...described,
    inputSchema: Schema.Struct({ language: Schema.optionalKey(Schema.String), depth: Schema.FiniteFromString }),
    execute: (args) => {
      expectTypeOf(args).toEqualTypeOf<{ readonly language?: string; readonly depth: number }>()
      return Effect.succeed({ ...args, doubled: args.depth * 2 })
    }
  }),
  zod: defineTool({
    ...described,
    inputSchema: z.object({ language: z.string().optional(), depth: z.string().transform(Number) }),
    execute: (args) => {
      expectTypeOf(args).toEqualTypeOf<{ language?: string | undefined; depth: number }>()
      return { ...args, doubled: args.depth * 2 }
    }
  }),
  valibot: defineTool({
    ...described,
    inputSchema: toStandardJsonSchema(
      v.object({ language: v.optional(v.string()), depth: v.pipe(v.string(), v.transform(Number)) })
    ),
    execute: async (args) => {
      expectTypeOf(args).toEqualTypeOf<{ language?: string | undefined; depth: number }>()
      return { ...args, doubled: args.depth * 2 }
    }
  }),
  arktype: defineTool({
    ...described,
    inputSchema: type({ "language?": "string", depth: "string.numeric.parse" }),
    execute: async (args) => {
      expectTypeOf(args).toEqualTypeOf<{ language?: string; depth: number }>()
      return { ...args, doubled: args.depth * 2 }
    }
  })
}

describe.each(Object.entries(styles))("a schema of %s", (_, tool) => {
  it("offers the JSON Schema of its input [CLIENT-3.j]", () => {
    const { properties, required, type: root } = schemaOf(tool)
    assert.deepStrictEqual({ root, required }, { root: "object", required: ["depth"] })
    assert.strictEqual(properties.language.type, "string")
    assert.strictEqual(properties.depth.type, "string")
  })

  it("decodes the arguments, once, for the handler [CLIENT-3.a CLIENT-3.i]", async () => {
    assert.deepStrictEqual(await call(tool, { depth: "21" }), { depth: 21, doubled: 42 })
  })

  it("answers arguments that do not fit with the place and the reason [CLIENT-3.b]", async () => {
    const text = await textOf(call(tool, { language: 7, depth: "1" }))
    assert.match(text, /^invalid arguments: language: ./)
  })
})

describe("raw JSON Schema", () => {
  it("gives the handler a JSON object; so does no schema", () => {
    defineTool({
      name: "a",
      inputSchema: { type: "object", properties: { a: { type: "string" } } },
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ readonly [key: string]: unknown }>()
      }
    })
    ClientTool.make({
      name: "a",
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ readonly [key: string]: unknown }>()
      }
    })
  })

  it("may have a type of its own", () => {
    interface JSONSchema {
      readonly type?: string
      readonly properties?: Readonly<Record<string, JSONSchema>>
    }
    const inputSchema: JSONSchema = { type: "object", properties: { a: { type: "string" } } }
    const tool = defineTool({
      name: "a",
      inputSchema,
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ readonly [key: string]: unknown }>()
      }
    })
    assert.deepStrictEqual(schemaOf(tool), inputSchema)
    // @ts-expect-error: a schema of Valibot has no JSON Schema
    assert.throws(() => defineTool({ name: "a", inputSchema: v.object({}), execute: () => 1 }), /toStandardJsonSchema/)
  })

  it("is offered as it was written [CLIENT-3.j]", () => {
    const inputSchema = { type: "object", properties: { a: { enum: ["x"], default: "x" } }, nullable: true }
    assert.deepStrictEqual(schemaOf(defineTool({ name: "a", inputSchema, execute: () => 1 })), inputSchema)
  })

  it("tells every fault, and what a constant must be [CLIENT-3.b]", async () => {
    const inputSchema = { type: "object", properties: { a: { const: 1 }, b: { type: "string" } } }
    assert.strictEqual(
      await textOf(call({ ...described, inputSchema, execute: () => 1 }, { a: 2, b: 3 })),
      "invalid arguments: a: must be one of 1; b: must be string"
    )
    const effect = ClientTool.make({
      ...described,
      inputSchema: Schema.Struct({ a: Schema.Finite, b: Schema.String }),
      execute: () => 1
    })
    assert.match(await textOf(call(effect, { a: "x", b: 3 })), /^invalid arguments: a: .*b: /)
  })

  it("takes decimals and large numbers for the multiples they are [CLIENT-3.a]", async () => {
    const inputSchema = { type: "object", properties: { price: { multipleOf: 0.01 }, count: { multipleOf: 1 } } }
    const tool = { ...described, inputSchema, execute: () => "fits" }
    for (const price of [19.99, 4.35, 0.07, 1_234_567.89]) assert.strictEqual(await call(tool, { price }), "fits")
    for (const count of [3, 1e22]) assert.strictEqual(await call(tool, { count }), "fits")
    assert.match(await textOf(call(tool, { price: 0.015 })), /^invalid arguments: price: must be multiple of 0.01/)
    assert.match(await textOf(call(tool, { count: 1.5 })), /^invalid arguments: count: must be multiple of 1/)
  })

  it("knows nothing of the names in another's [CLIENT-3.g]", () => {
    const inner = { $id: "https://example.com/inner", type: "string" }
    const defined = (properties: object) =>
      Toolkit.decode([{ name: "a", inputSchema: { type: "object", properties }, execute: () => 1 }])
    assert.isTrue(Result.isSuccess(defined({ a: inner })))
    assert.isTrue(Result.isFailure(defined({ a: { type: "number" }, b: { $ref: inner.$id } })))
  })

  it("with a name of its own may be used twice", () => {
    const inputSchema = { $id: "https://example.com/t", type: "object" }
    const tools = ["a", "b"].map((name) => ({ name, inputSchema, execute: () => 1 }))
    assert.lengthOf(Result.getOrThrow(Toolkit.decode(tools)).descriptions, 2)
    // The name of the dialect itself harms no other schema either.
    const meta = "https://json-schema.org/draft/2020-12/schema"
    Toolkit.decode([{ name: "a", inputSchema: { $id: meta, type: "object" }, execute: () => 1 }])
    const named = { name: "a", inputSchema: { $schema: meta, type: "object" }, execute: () => 1 }
    assert.lengthOf(Result.getOrThrow(Toolkit.decode([named])).descriptions, 1)
  })

  it("tells one fault of many arguments, and not a million", async () => {
    const inputSchema = { type: "object", properties: { list: { items: { type: "string" } } } }
    const many = await textOf(call({ ...described, inputSchema, execute: () => 1 }, { list: Array(100_000).fill(1) }))
    assert.strictEqual(many, "invalid arguments: list.0: must be string")
    const some = await textOf(call({ ...described, inputSchema, execute: () => 1 }, { list: Array(30).fill(1) }))
    assert.match(some, /list.19: must be string; and 10 more$/)
  })

  it("answers arguments too deep to be checked, and lives", async () => {
    let child: object = {}
    for (let level = 0; level < 100_000; level++) child = { child }
    const inputSchema = { type: "object", properties: { child: { $ref: "#" } } }
    const text = await textOf(call({ ...described, inputSchema, execute: () => 1 }, { child }))
    assert.match(text, /^invalid arguments: the arguments cannot be checked: ./)
  })

  it("is refused where it is defined when it cannot be compiled [CLIENT-3.g]", () => {
    assert.throws(
      () => defineTool({ name: "a", inputSchema: { properties: { a: { pattern: "(" } } }, execute: () => 1 }),
      TypeError,
      /^inputSchema cannot be compiled: Invalid regular expression/
    )
  })
})

describe("a schema of a library", () => {
  const refusal = (inputSchema: unknown): string => {
    try {
      defineTool({ name: "a", inputSchema: inputSchema as never, execute: () => 1 })
      return "accepted"
    } catch (cause) {
      assert.instanceOf(cause, TypeError)
      return cause.message
    }
  }

  it("without JSON Schema is refused, and the adapter named [CLIENT-3.g]", () => {
    assert.match(refusal(v.object({})), /^inputSchema has no JSON Schema of its input: .*@valibot\/to-json-schema$/)
    assert.match(refusal(z.object({ when: z.date() })), /^inputSchema has no JSON Schema of its input: Date cannot/)
  })

  it("with a name, or that refers to itself, is offered with its properties at the root [CLIENT-3.j]", async () => {
    const city = defineTool({
      ...described,
      inputSchema: z.object({ city: z.string() }).meta({ id: "C" }),
      execute: () => 1
    })
    assert.deepInclude(schemaOf(city), { type: "object", required: ["city"] })
    assert.notProperty(schemaOf(city), "$ref")
    const list = type({ v: "number", "next?": "this" })
    const linked = defineTool({ ...described, inputSchema: list, execute: ({ v: value }) => value })
    assert.deepInclude(schemaOf(linked), { type: "object", required: ["v"] })
    assert.strictEqual(await call(linked, { v: 1, next: { v: 2 } }), 1)
  })

  it("names no argument where the fault is of them all [CLIENT-3.b]", async () => {
    const inputSchema = type({ a: "string" }).narrow(({ a }, ctx) => a === "ok" || ctx.mustBe("ok"))
    const text = await textOf(call(defineTool({ ...described, inputSchema, execute: () => 1 }), { a: "x" }))
    assert.match(text, /^invalid arguments: must be ok/)
  })

  it("that stands inside a plain object is no schema: how to make it one is told [CLIENT-1.b]", () => {
    assert.match(refusal({ a: z.string() }), /^inputSchema has schemas of a library in it .*z\.object\(/)
  })

  it("under another key is not lost in silence", () => {
    for (const key of ["parameters", "schema"]) {
      const definition = { name: "a", [key]: z.object({}), execute: () => 1 }
      assert.throws(() => defineTool(definition), TypeError, `unknown key ${key}; did you mean inputSchema?`)
    }
  })

  it("that validates to garbage harms its own call alone, in words", async () => {
    const inputSchema = { "~standard": { ...z.object({})["~standard"], validate: () => undefined as never } }
    const text = await textOf(call({ ...described, inputSchema, execute: () => 1 }, {}))
    assert.strictEqual(text, "the validator of its schema gave undefined, which is no result of a Standard Schema")
  })

  it("that is no object is refused as an agent would [CLIENT-1.b]", () => {
    assert.strictEqual(refusal(z.string()), 'inputSchema.type must be "object", got "string"')
    assert.strictEqual(refusal(Schema.String), 'inputSchema.type must be "object", got "string"')
    assert.strictEqual(
      refusal(() => 1),
      "not a tool description: inputSchema must be a JSON object, got function"
    )
  })

  it("may check asynchronously", async () => {
    const inputSchema = z.object({ a: z.string().refine(async (text) => Promise.resolve(text === "x"), "must be x") })
    const tool = defineTool({ ...described, inputSchema, execute: ({ a }) => a })
    assert.strictEqual(await call(tool, { a: "x" }), "x")
    assert.strictEqual(await textOf(call(tool, { a: "y" })), "invalid arguments: a: must be x")
  })

  it("that is still checking when the call is cancelled begins no handler", async () => {
    const checked = Promise.withResolvers<boolean>()
    const cancel = new AbortController()
    let isBegun = false
    const tool = defineTool({
      ...described,
      inputSchema: z.object({}).refine(() => checked.promise),
      execute: () => (isBegun = true)
    })
    const answer = RequestHandler.handle(ToolOffer.make(Result.getOrThrow(Toolkit.decode([tool]))), {
      method: "_t",
      params: { _meta: { "org.mini-me/sessionId": "s" } },
      signal: cancel.signal
    }).catch((cause: { readonly code: number }) => cause.code)
    await Promise.resolve()
    cancel.abort()
    assert.strictEqual(await answer, -32800)
    checked.resolve(true)
    await new Promise(setImmediate)
    assert.isFalse(isBegun)
  })

  it("that throws harms its own call alone", async () => {
    const inputSchema = z.object({ a: z.string().transform((): string => assert.fail("broken transform")) })
    const tool = defineTool({ ...described, inputSchema, execute: ({ a }) => a })
    assert.match(await textOf(call(tool, { a: "x" })), /broken transform/)
    const effect = Schema.Struct({
      a: Schema.String.pipe(
        Schema.decode({
          decode: SchemaGetter.transform((): string => assert.fail("broken Effect")),
          encode: SchemaGetter.passthrough()
        })
      )
    })
    assert.strictEqual(
      await textOf(call(ClientTool.make({ ...described, inputSchema: effect, execute: ({ a }) => a }), { a: "x" })),
      "broken Effect"
    )
  })

  it("may be given in a plain object, as it is", async () => {
    for (const inputSchema of [z.object({ a: z.coerce.number() }), Schema.Struct({ a: Schema.FiniteFromString })]) {
      const tool = { ...described, inputSchema, execute: ({ a }: { readonly a: unknown }) => a }
      assert.strictEqual(await call(tool, { a: "7" }), 7)
    }
  })
})

describe("a schema of Effect", () => {
  class Search extends Schema.Class<Search>("Search")({
    since: Schema.Date,
    tags: Schema.ReadonlySet(Schema.String)
  }) {}

  it("may be a class, and hold what JSON does not: it is offered, and decoded, as JSON [CLIENT-3.i CLIENT-3.j]", async () => {
    const tool = ClientTool.make({
      ...described,
      inputSchema: Search,
      execute: (search) => {
        expectTypeOf(search).toEqualTypeOf<Search>()
        return `${search instanceof Search} ${search.since.getUTCFullYear()} ${[...search.tags].join("+")}`
      }
    })
    const { $ref, properties, type: root } = schemaOf(tool)
    assert.deepStrictEqual([root, $ref], ["object", undefined])
    assert.strictEqual(properties.since.type, "string")
    assert.strictEqual(properties.tags.type, "array")
    const args = { since: "2026-12-01T00:00:00Z", tags: ["a", "b"] }
    assert.strictEqual(await call(tool, args), "true 2026 a+b")
  })

  it("that refers to itself keeps its definitions", async () => {
    interface Tree {
      readonly children: ReadonlyArray<Tree>
    }
    const Tree = Schema.Struct({
      children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
    }).annotate({ identifier: "Tree" })
    const tool = ClientTool.make({ ...described, inputSchema: Tree, execute: ({ children }) => children.length })
    const { $defs, properties } = schemaOf(tool)
    assert.strictEqual(properties.children.items.$ref, "#/$defs/Tree")
    assert.hasAllKeys($defs, ["Tree"])
    assert.strictEqual(await call(tool, { children: [{ children: [] }] }), 1)
    assert.match(await textOf(call(tool, { children: [{}] })), /^invalid arguments: children.0.children: /)
  })

  it("may decode with an Effect that takes its time", async () => {
    const later = Schema.String.pipe(
      Schema.decode({
        decode: SchemaGetter.transformEffect((text: string) => Effect.as(Effect.yieldNow, `${text}!`)),
        encode: SchemaGetter.passthrough()
      })
    )
    const tool = ClientTool.make({
      ...described,
      inputSchema: Schema.Struct({ a: later }),
      execute: ({ a }) => Effect.succeed(a)
    })
    assert.strictEqual(await call(tool, { a: "x" }), "x!")
  })

  it("may not need services to decode: the type says so", () => {
    interface Clock {
      readonly _: "clock"
    }
    const needy = Schema.String as unknown as Schema.Codec<string, string, Clock>
    // @ts-expect-error: a schema whose decoding needs a Clock
    const make = () => ClientTool.make({ name: "a", inputSchema: Schema.Struct({ a: needy }), execute: () => 1 })
    assert.isFunction(make)
  })
})
