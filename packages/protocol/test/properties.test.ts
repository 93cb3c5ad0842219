/** What holds for every input, beside the vectors. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import {
  CallArguments,
  CallParams,
  CallResult,
  Cut,
  Discovery,
  InputSchema,
  Json,
  LogLine,
  ToolName,
  ToolSet
} from "../src/index.ts"

const runs = { arbitrary: { runs: 300 } }

/** JSON values that look like schemas often enough: keywords as keys, of schemas and of maps alike. */
const keywords = [
  "type",
  "properties",
  "items",
  "anyOf",
  "required",
  "enum",
  "$schema",
  "additionalProperties",
  "default",
  "$defs",
  "not",
  "description",
  "__proto__"
]
type Like = null | boolean | number | string | ReadonlyArray<Like> | { readonly [key: string]: Like }

/** A schema-like value grown from a list of numbers, so that the generator can shrink it. */
const grow = (seeds: ReadonlyArray<number>, depth: number): Like => {
  const [seed = 0, ...rest] = seeds
  const half = Math.ceil(rest.length / 2)
  if (depth === 0 || rest.length === 0) return ([null, true, false, "x", 1, "object"] as const)[seed % 6] ?? null
  const children = [rest.slice(0, half), rest.slice(half)].map((part) => grow(part, depth - 1))
  if (seed % 4 === 0) return children
  return Object.fromEntries(children.map((child, index) => [keywords[(seed + index * 5) % keywords.length], child]))
}
const Seeds = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 })))
const schemaFrom = (seeds: ReadonlyArray<number>): Json.JsonObject => {
  const grown = grow(seeds, 8)
  return { type: "object", properties: { a: grown, required: grown }, anyOf: [grown], default: grown }
}

const deepFreeze = <A>(value: A): A => {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value)
    Object.values(value).forEach(deepFreeze)
  }
  return value
}

/** The paths of all sub-schemas that are objects, and the schemas: the walk of SCHEMA-5, written a second time. */
const schemaNodes = (schema: unknown, path: string): ReadonlyArray<readonly [string, Json.JsonObject]> => {
  if (!Json.isObject(schema)) return []
  const maps = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]
  const lists = ["prefixItems", "anyOf", "oneOf", "allOf"]
  const singles = [
    "not",
    "if",
    "then",
    "else",
    "contains",
    "contentSchema",
    "additionalItems",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties"
  ]
  return [
    [path, schema] as const,
    ...Object.entries(schema).flatMap(([key, value]) => {
      const here = `${path}/${key}`
      if (maps.includes(key) && Json.isObject(value)) {
        return Object.entries(value).flatMap(([name, item]) => schemaNodes(item, `${here}/${name}`))
      }
      if ((lists.includes(key) || key === "items") && Array.isArray(value)) {
        return value.flatMap((item, index) => schemaNodes(item, `${here}/${index}`))
      }
      return singles.includes(key) || key === "items" ? schemaNodes(value, here) : []
    })
  ]
}

describe("names", () => {
  it.prop(
    "have the alphabet of model names, or are none [NAME-1.a NAME-1.b NAME-1.c]",
    [Schema.String],
    ([name]) => {
      const modelName = ToolName.toModelName(name)
      if (modelName !== undefined) assert.match(modelName, /^client(_[A-Za-z0-9]+)+$/)
    },
    runs
  )

  it.prop(
    "stay what they are when they are normalised already [NAME-1.a NAME-1.b NAME-1.c]",
    [Schema.String],
    ([name]) => {
      const modelName = ToolName.toModelName(name)
      if (modelName !== undefined)
        assert.strictEqual(ToolName.toModelName(modelName.slice("client_".length)), modelName)
    },
    runs
  )
})

describe("lists", () => {
  const Entries = Schema.Array(Schema.Json)

  it.prop(
    "of anything are decoded without throwing [LIST-1.a LIST-6.a]",
    [Entries],
    ([list]) => {
      const { skipped, tools } = ToolSet.decode(list)
      assert.strictEqual(skipped.length + tools.length, list.length)
    },
    runs
  )

  it.prop(
    "keep a valid entry whatever surrounds it [LIST-1.a LIST-1.b]",
    [Entries, Entries],
    ([before, after]) => {
      const valid = { name: "the one", method: "_the/one" }
      const { tools } = ToolSet.decode([...before, valid, ...after])
      assert.include(
        tools.map((tool) => tool.method),
        "_the/one"
      )
    },
    runs
  )

  it.prop(
    "anywhere in _meta are read without throwing [LIST-1.b]",
    [Schema.Json],
    ([meta]) => {
      assert.isArray(Discovery.fromAdvertisement(Discovery.fromMeta({ "org.mini-me/tools": meta })).lines)
      assert.isArray(Discovery.fromListOutcome("s", { kind: "result", result: meta }).lines)
    },
    runs
  )
})

describe("the schema rewrite", () => {
  it.prop(
    "never touches its input, and repeats itself [SCHEMA-8.a SCHEMA-8.b]",
    [Seeds],
    ([seeds]) => {
      const schema = deepFreeze(schemaFrom(seeds))
      const before = JSON.stringify(schema)
      assert.deepStrictEqual(InputSchema.rewrite(schema), InputSchema.rewrite(schema))
      assert.strictEqual(JSON.stringify(schema), before)
    },
    runs
  )

  it.prop(
    "neither loses nor adds a sub-schema [SCHEMA-5.a SCHEMA-7.a]",
    [Seeds],
    ([seeds]) => {
      const schema = schemaFrom(seeds)
      const { parameters } = Result.getOrThrow(InputSchema.rewrite(schema))
      const paths = (value: Json.JsonObject) =>
        schemaNodes(value, "")
          .map(([path]) => path)
          .toSorted()
      assert.deepStrictEqual(paths(parameters), paths(schema))
    },
    runs
  )

  it.prop(
    "leaves no keyword it removes at a schema position [SCHEMA-2.a SCHEMA-3.a SCHEMA-4.a]",
    [Seeds],
    ([seeds]) => {
      const { parameters } = Result.getOrThrow(InputSchema.rewrite(schemaFrom(seeds)))
      for (const [path, node] of schemaNodes(parameters, "")) {
        for (const keyword of ["$schema", "enum", "required"]) assert.isFalse(Object.hasOwn(node, keyword), path)
        assert.notStrictEqual(Json.get(node, "additionalProperties"), false)
      }
    },
    runs
  )
})

describe("the cut", () => {
  const Text = Schema.Array(Schema.Literals(["a", "é", "😀", "\n", "\ud83d"]))
  const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 120 }))
  const codePoints = (text: string) => Array.from(text)

  it.prop(
    "is within the limit, keeps both ends and splits nothing [CUT-1.a CUT-2.a CUT-3.a]",
    [Text, Limit],
    ([parts, limit]) => {
      const text = parts.join("").repeat(9).toWellFormed()
      const cut = Cut.cut(text, limit)
      assert.isAtMost(codePoints(cut).length, limit)
      assert.isTrue(cut.isWellFormed())
      const match = /^([^]*)\n\[… (\d+) characters cut …\]\n([^]*)$/u.exec(cut)
      if (cut === text || match === null) {
        assert.isTrue(text.startsWith(cut))
        return
      }
      const [, head = "", n, tail = ""] = match
      assert.isTrue(text.startsWith(head) && text.endsWith(tail))
      assert.strictEqual(codePoints(head).length + codePoints(tail).length + Number(n), codePoints(text).length)
      assert.oneOf(codePoints(head).length - codePoints(tail).length, [0, 1])
    },
    runs
  )
})

describe("calls", () => {
  it.prop(
    "are made of any arguments without losing a key but _meta [CALL-2.a CALL-3.a]",
    [Schema.Record(Schema.String, Schema.Json)],
    ([args]) => {
      const received = CallParams.decode(JSON.parse(JSON.stringify(CallParams.make(args, "session"))))
      const { _meta, ...expected } = JSON.parse(JSON.stringify(args)) as Record<string, unknown>
      // As they stand on the wire: what a comparison of values makes of odd numbers and keys is not the point.
      assert.strictEqual(JSON.stringify(received), JSON.stringify({ arguments: expected, sessionId: "session" }))
    },
    runs
  )

  it.prop(
    "read any arguments as an object or not at all, and any result as well-formed text [CALL-4.b RES-5.c]",
    [Schema.Json],
    ([value]) => {
      const { arguments: args } = CallArguments.decode(value)
      if (Json.isObject(value)) assert.strictEqual(args, value)
      else if (value !== null && typeof value !== "string") assert.isUndefined(args)
      assert.isTrue(CallResult.decode(value).text.isWellFormed())
    },
    runs
  )
})

describe("log lines", () => {
  it.prop(
    "are one line, whatever the peer wrote [LOG-5.a]",
    [Schema.String],
    ([text]) => {
      assert.notMatch(LogLine.escape(`${text}\n\r\u2028\u009b\u001b`), /[\p{Cc}\u2028\u2029]/u)
    },
    runs
  )
})

describe("20,000 levels", () => {
  const nested = (open: string, close: string): unknown => JSON.parse(open.repeat(20_000) + "1" + close.repeat(20_000))
  it("of anything, anywhere, throw nothing [SCHEMA-9.a SCHEMA-9.b SCHEMA-9.c CALL-4.e RES-6.a]", () => {
    for (const deep of [
      nested("[", "]"),
      nested('{"a":', "}"),
      nested('{"items":', "}"),
      nested('{"properties":{"a":', "}}")
    ]) {
      const tool = (inputSchema: unknown) => ({ name: "a", method: "_a", inputSchema })
      const { skipped } = ToolSet.decode([
        deep,
        { name: deep },
        tool(deep),
        ...["type", "enum", "default", "properties", "items", "required", "$schema"].map((key) => tool({ [key]: deep }))
      ])
      assert.isAtLeast(skipped.length, 9)
      assert.isUndefined(CallArguments.decode(deep).arguments)
      assert.deepStrictEqual(CallResult.decode(deep), { text: "result is nested too deeply", isError: true })
      assert.strictEqual(Discovery.fromMeta(deep).kind, "absent")
    }
  })
})
