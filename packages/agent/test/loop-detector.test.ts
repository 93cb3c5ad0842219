/** What counts as the same call and as the same answer. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { LoopDetector } from "../src/index.ts"

const detector = () => LoopDetector.make({ flagAfter: 2, stopAfter: 1_000 })
const isFlagged = (first: readonly [unknown, string], second: readonly [unknown, string]): boolean => {
  const { count } = detector()
  assert.strictEqual(count({ name: "a", arguments: first[0] }, first[1]), "")
  return count({ name: "a", arguments: second[0] }, second[1]) !== ""
}

/** Collects garbage, all of it. */
const collector = (): (() => void) => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc")
}

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)])
  )
}

describe("LoopDetector", () => {
  it.prop("takes arguments with their keys in any order for the same [LOOP-1.a]", [Schema.Json], ([args]) => {
    assert.isTrue(isFlagged([args, "x"], [reversed(args), "x"]))
  })

  it("tells arguments apart that are not equal as JSON [LOOP-1.a]", () => {
    const all = [
      {},
      { a: 1 },
      { a: "1" },
      { a: [1, 2] },
      { a: [2, 1] },
      { a: { b: 1 } },
      JSON.parse('{"__proto__":1}'),
      "{}",
      null
    ]
    for (const one of all) {
      for (const other of all) {
        if (one !== other) assert.isFalse(isFlagged([one, "x"], [other, "x"]), JSON.stringify([one, other]))
      }
    }
    const { count } = detector()
    count({ name: "a", arguments: {} }, "x")
    assert.strictEqual(count({ name: "b", arguments: {} }, "x"), "")
  })

  it("compares arguments that are nested too deeply to be shown as they came [LOOP-1.a]", () => {
    const deep = (end: string) => `${"[".repeat(300)}${end}${"]".repeat(300)}`
    assert.isFalse(isFlagged([deep("1"), "x"], [deep("2"), "x"]))
    assert.isTrue(isFlagged([deep("1"), "x"], [deep("1"), "x"]))
    const value = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)
    assert.isTrue(isFlagged([value, "x"], [value, "x"]))
  })

  it("keeps no text of what it counted [LOOP-1.b]", () => {
    const { count } = detector()
    const gc = collector()
    gc()
    const before = process.memoryUsage().heapUsed
    for (let n = 0; n < 20; n++) count({ name: "a", arguments: {} }, `${n}`.padEnd(4 << 20, "ä"))
    gc()
    assert.isBelow(process.memoryUsage().heapUsed - before, 8 << 20)
  })

  it("tells answers apart wherever they differ [LOOP-1.b]", () => {
    const long = "x".repeat(3 << 20)
    for (const at of [0, (1 << 20) - 1, 1 << 20, long.length - 1]) {
      assert.isFalse(isFlagged([{}, long], [{}, `${long.slice(0, at)}y${long.slice(at + 1)}`]))
    }
    assert.isTrue(isFlagged([{}, long], [{}, long]))
    assert.isFalse(isFlagged([{}, ""], [{}, " "]))
  })

  it("flags from the one limit on and gives its verdict at the other [LOOP-2.a LOOP-2.c]", () => {
    const { count, verdict } = LoopDetector.make({ flagAfter: 2, stopAfter: 3 })
    const again = () => count({ name: "a", arguments: {} }, "x")
    assert.strictEqual(again(), "")
    assert.match(again(), /^\n\[a was called .* 2 times in this turn\]$/)
    assert.isUndefined(verdict())
    assert.include(again(), "3 times")
    assert.match(verdict() ?? "", /^I stopped: a was called .* 3 times\./)
  })
})
