/** The vectors of tool definitions, through the set as a whole. */
import { expand, vectors } from "@acp-client-tools/spec"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { Toolkit } from "../src/index.ts"

interface Input {
  readonly tools: ReadonlyArray<unknown>
  readonly namespace?: string
}

/** The definition with a function where the data says `true`. */
const withFunction = (tool: any): unknown =>
  typeof tool === "object" && tool?.execute === true ? { ...tool, execute: () => undefined } : tool

describe("client-definition", () => {
  for (const { description, id, input, output, requirements } of vectors<Input, any>("client-definition").cases) {
    it(`${id}: ${description} [${requirements.join(" ")}]`, () => {
      const { namespace } = input
      const made = Toolkit.make(expand(input.tools).map(withFunction), namespace === undefined ? {} : { namespace })
      if (output.methods !== undefined) {
        const { byMethod } = Result.getOrThrow(made)
        assert.deepStrictEqual([...byMethod.keys()], output.methods)
        return
      }
      const { faults } = Result.getOrThrow(Result.flip(made))
      const reasons = faults.map(({ reason }) => reason).toSorted()
      const wanted: ReadonlyArray<string> = output.faults.toSorted()
      assert.lengthOf(reasons, wanted.length, reasons.join("; "))
      for (const [index, reason] of reasons.entries()) {
        if (output.faultsArePrefixes === true) assert.isTrue(reason.startsWith(wanted[index] ?? "?"), reason)
        else assert.strictEqual(reason, wanted[index])
      }
    })
  }
})
