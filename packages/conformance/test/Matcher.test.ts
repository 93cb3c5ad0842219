import { assert, describe, it } from "vitest"
import { Matcher } from "../src/index.ts"
import type { Json } from "../src/index.ts"

const { fill } = Matcher
const none = new Map<string, Json>()
const matches = (pattern: Json, value: Json, saved: Matcher.Bindings = none) =>
  "bindings" in Matcher.match(pattern, value, saved)
const difference = (pattern: Json, value: Json) => {
  const outcome = Matcher.match(pattern, value, none)
  return "difference" in outcome ? outcome.difference : "(matches)"
}

describe("Matcher.match", () => {
  const session = new Map<string, Json>([
    ["s", "20261110-224507-1f3a9c2e"],
    ["n", 7]
  ])
  const yes: ReadonlyArray<readonly [string, Json, Json]> = [
    ["a scalar", 1, 1],
    ["null", null, null],
    ["a list", [1, "a"], [1, "a"]],
    ["an object with more keys", { a: 1 }, { a: 1, b: 2 }],
    ["objects in lists", [{ a: 1 }], [{ a: 1, b: 2 }]],
    ["$any", { a: { $any: true } }, { a: null }],
    ["$type", { $type: "array" }, []],
    ["$regex", { $regex: "^a.c$" }, "abc"],
    ["$contains", { $contains: "b" }, "abc"],
    ["$absent", { a: { $absent: true } }, { b: 1 }],
    ["$exact", { $exact: { a: { $type: "string" } } }, { a: "x" }],
    ["$oneOf", { $oneOf: [1, 2] }, 2],
    ["$unordered", { $unordered: [{ a: 1 }, 2] }, [2, { a: 1, b: 2 }]],
    ["$oneOf with $absent", { a: { $oneOf: [{ $absent: true }, null] } }, {}],
    ["$literal", { $literal: { $schema: "x" } }, { $schema: "x" }],
    ["$ref", { $ref: "n" }, 7],
    ["a saved value inside a text", "session ${s}", "session 20261110-224507-1f3a9c2e"],
    ["a saved value inside $regex, escaped", { $regex: "^${s}$" }, "20261110-224507-1f3a9c2e"],
    ["several matchers", { $type: "string", $contains: "a" }, "a"]
  ]
  for (const [title, pattern, value] of yes)
    it(`accepts ${title}`, () => assert.isTrue(matches(pattern, value, session)))

  const no: ReadonlyArray<readonly [string, Json, Json, string]> = [
    ["another scalar", { a: 1 }, { a: 2 }, "a: expected 1, got 2"],
    ["a string for a number", 1, "1", 'the message: expected 1, got "1"'],
    ["a missing key", { a: null }, {}, "a: expected null, got undefined"],
    ["a longer list", [1], [1, 2], "the message: expected 1 items [1], got [1,2]"],
    ["an inherited key", { toString: { $any: true } }, {}, 'toString: expected {"$any":true}, got undefined'],
    ["$type", { $type: "object" }, [], "the message: expected a value of type object, got []"],
    ["$regex", { $regex: "^b" }, "abc", 'the message: expected a text matching /^b/, got "abc"'],
    ["$absent", { a: { $absent: true } }, { a: null }, "a: expected the key to be absent, got null"],
    [
      "$exact",
      { $exact: { a: 1 } },
      { a: 1, b: 2 },
      'the message: expected no other keys, such as b, got {"a":1,"b":2}'
    ],
    ["$oneOf", { $oneOf: [1, 2] }, 3, "the message: expected one of [1,2], got 3"],
    ["$unordered", { $unordered: [1, 2] }, [2, 2], "the message: expected in any order [1,2], got [2,2]"],
    ["$unordered with more", { $unordered: [1] }, [1, 2], "the message: expected in any order [1], got [1,2]"],
    ["$contains", { $contains: "x" }, "abc", 'the message: expected a text containing "x", got "abc"'],
    ["$literal", { $literal: { a: 1 } }, { a: 1, b: 2 }, 'the message: expected exactly {"a":1}, got {"a":1,"b":2}'],
    [
      "one of several matchers",
      { $type: "string", $contains: "b" },
      "a",
      'the message: expected a text containing "b", got "a"'
    ]
  ]
  for (const [title, pattern, value, text] of no) {
    it(`refuses ${title} and says where`, () => assert.strictEqual(difference(pattern, value), text))
  }

  it("saves what matched, and nothing of what did not", () => {
    const outcome = Matcher.match({ id: { $save: "id", $type: "number" } }, { id: 0 }, none)
    assert.deepStrictEqual("bindings" in outcome && [...outcome.bindings], [["id", 0]])
    assert.isFalse(matches({ id: { $save: "id", $type: "number" } }, { id: "0" }))
  })

  it("refuses a matcher that does not exist, a wrong argument and a name that was never saved", () => {
    assert.throws(() => Matcher.check({ a: { $ane: true } }), /a\.\$ane: unknown matcher/u)
    assert.throws(() => Matcher.check({ a: { $type: "int" } }), /takes string, number/u)
    assert.throws(() => Matcher.check({ $regex: "(" }), /takes a regular expression/u)
    assert.throws(() => Matcher.check([{ $any: true, b: 1 }]), /unknown matcher/u)
    assert.throws(() => Matcher.match({ $ref: "nobody" }, 1, none), /nothing is saved as "nobody"/u)
  })
})

describe("Matcher.fill", () => {
  it("puts in what was saved and leaves other $ keys alone", () => {
    const saved = new Map<string, Json>([["id", 0]])
    const filled = fill({ id: { $ref: "id" }, t: "n=${id}", s: { $schema: "x", $defs: {} } }, saved)
    assert.deepStrictEqual(filled, { id: 0, t: "n=0", s: { $schema: "x", $defs: {} } })
    assert.deepStrictEqual(fill({ $literal: { $ref: "id" } }, saved), { $ref: "id" })
  })

  it("keeps an own __proto__", () => {
    assert.strictEqual(JSON.stringify(fill(JSON.parse('{"__proto__":{"a":1}}'), none)), '{"__proto__":{"a":1}}')
  })
})

describe("Matcher.matchAll", () => {
  it("finds the order in which everything fits, also when the first choice does not", () => {
    const saved = Matcher.matchAll([{ a: { $save: "x" } }, { a: 1 }], [{ a: 1 }, { a: 2 }], none)
    assert.strictEqual(saved?.get("x"), 2)
    assert.isUndefined(Matcher.matchAll([{ a: 1 }, { a: 1 }], [{ a: 1 }, { a: 2 }], none))
  })
})
