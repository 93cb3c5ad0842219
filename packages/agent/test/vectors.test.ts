/** The vectors of the permission policy. */
import { vectors } from "@acp-client-tools/spec"
import { assert, describe, it } from "vitest"
import * as Permission from "../src/Permission.ts"

interface Input extends Permission.Policy {
  readonly remembered?: boolean
  readonly answer?: unknown
}

describe("permission", () => {
  for (const { description, id, input, output, requirements } of vectors<Input, any>("permission").cases) {
    it(`${id}: ${description} [${requirements.join(" ")}]`, () => {
      const asks = Permission.isAsked(input) && !(input.remembered === true && input.permissions === "auto")
      const offered = Permission.options(input)
      const runs = !asks || Permission.decide(offered, input.answer) !== "reject"
      const byId = (options: ReadonlyArray<{ readonly optionId: string }>) =>
        options.toSorted((a, b) => (a.optionId < b.optionId ? -1 : 1))
      const actual = {
        asks,
        runs,
        ...(asks ? { options: byId(offered.map(({ kind, optionId }) => ({ optionId, kind }))) } : {})
      }
      assert.deepStrictEqual(
        actual,
        output.options === undefined ? output : { ...output, options: byId(output.options) }
      )
    })
  }
})
