/** The vectors of the permission policy. */
import { vectors } from "@acp-client-tools/spec"
import { assert, describe, it } from "vitest"
import * as Permission from "../src/Permission.ts"

interface Input {
  readonly permissions: Permission.Mode
  readonly yolo: boolean
  readonly remembered?: boolean
  readonly answer?: unknown
}

describe("permission", () => {
  for (const { description, id, input, output, requirements } of vectors<Input, any>("permission").cases) {
    it(`${id}: ${description} [${requirements.join(" ")}]`, () => {
      const always = new Set(input.remembered === true ? ["tool"] : [])
      const asks = Permission.isAsked(
        { permissions: input.permissions, permissionKey: "tool" },
        { yolo: input.yolo, always }
      )
      const offered = Permission.options(input.permissions)
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
