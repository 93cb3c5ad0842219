/** Growth counted in steps, not in seconds, and what a large text costs in memory. */
import { assert, describe, it } from "vitest"
import { CallOutcome, Cut, ToolDeclaration, ToolSet } from "../src/index.ts"

/** A list of entries that count every look at them. */
const counting = (size: number) => {
  let looks = 0
  const watched = <A extends object>(target: A): A =>
    new Proxy(target, {
      get: (object, key) => {
        looks++
        return Reflect.get(object, key)
      },
      getOwnPropertyDescriptor: (object, key) => {
        looks++
        return Reflect.getOwnPropertyDescriptor(object, key)
      },
      ownKeys: (object) => {
        looks++
        return Reflect.ownKeys(object)
      }
    })
  const list = Array.from({ length: size }, (_, index) =>
    watched({ name: `tool ${index % (size - 1)}`, method: "_t", inputSchema: watched({ properties: watched({}) }) })
  )
  return { list, looks: () => looks }
}

describe("10,000 entries", () => {
  it("take ten times the looks that 1,000 take, and nothing is written meanwhile [LIST-7.a LIST-6.b]", () => {
    const written: Array<unknown> = []
    const { write } = process.stderr
    process.stderr.write = (chunk: unknown) => written.push(chunk) > 0
    try {
      const looksFor = (size: number): number => {
        const { list, looks } = counting(size)
        const { skipped, tools } = ToolSet.decode(list)
        assert.lengthOf(tools.map(ToolDeclaration.fromTool), size - 1)
        assert.lengthOf(skipped, 1)
        return looks()
      }
      assert.strictEqual(looksFor(10_000), 10 * looksFor(1_000))
    } finally {
      process.stderr.write = write
    }
    assert.deepStrictEqual(written, [])
  })
})

describe("a large text", () => {
  it("is cut in a number of steps that grows as the text does [CUT-3.b]", () => {
    const { charCodeAt } = String.prototype
    const stepsFor = (text: string): number => {
      let steps = 0
      String.prototype.charCodeAt = function (this: string, index: number) {
        steps++
        return charCodeAt.call(this, index)
      }
      try {
        Cut.cut(text, 100)
      } finally {
        String.prototype.charCodeAt = charCodeAt
      }
      return steps
    }
    const small = stepsFor("ab😀".repeat(1_000))
    assert.closeTo(stepsFor("ab😀".repeat(10_000)) / small, 10, 1)
  })

  it("of 30 MiB is decoded and cut without a second copy of it [CUT-3.c]", () => {
    const MIB = 1024 * 1024
    const result: unknown = JSON.parse(JSON.stringify({ content: [{ type: "text", text: "x".repeat(30 * MIB) }] }))
    const before = process.memoryUsage().heapUsed
    const { text } = CallOutcome.toText({ kind: "result", result })
    const cut = Cut.cut(text, 16_000)
    assert.isBelow(process.memoryUsage().heapUsed - before, 15 * MIB)
    assert.lengthOf(cut, 16_000)
  })
})
