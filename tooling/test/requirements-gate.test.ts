import type { Clause } from "@acp-client-tools/spec"
import { assert, describe, it } from "vitest"
import { cited, faults, summary } from "../src/requirements-gate.ts"

const clause = (id: string, pending?: string): Clause => ({
  id,
  section: "Discovery",
  level: "spec",
  side: "agent",
  sentence: "It holds.",
  ...(pending === undefined ? {} : { pending })
})
// Written apart, so that this file cites nothing itself.
const cites = (...ids: ReadonlyArray<string>): string => `works [${ids.join(" ")}]`

describe("the requirements gate", () => {
  it("reads the clauses out of titles, of suites too", () => {
    assert.deepStrictEqual(cited(`${cites("AA-1.a")} > ${cites("BB-2.b", "BB-2.c")} [not one]`), [
      "AA-1.a",
      "BB-2.b",
      "BB-2.c"
    ])
  })

  it("is content when every clause is proven or pending", () => {
    assert.deepStrictEqual(faults([clause("AA-1.a"), clause("AA-1.b", "later")], [cites("AA-1.a")]), [])
  })

  it("names a clause that no passed test cites", () => {
    assert.deepStrictEqual(faults([clause("AA-1.a")], ["works"]), ["AA-1.a is proven by no test: It holds."])
  })

  it("names a pending clause that is proven", () => {
    assert.deepStrictEqual(faults([clause("AA-1.a", "later")], [cites("AA-1.a")]), [
      'AA-1.a is proven, and still pending for "later"'
    ])
  })

  it("names a citation of an unknown clause", () => {
    assert.deepStrictEqual(faults([], [cites("AA-1.a")]), ["AA-1.a is cited and is no clause of the manifest"])
  })

  it("says how far the manifest has come", () => {
    const clauses = [clause("AA-1.a"), clause("AA-1.b"), clause("AA-1.c", "later")]
    assert.strictEqual(
      summary(clauses, [cites("AA-1.a", "AA-1.b")]),
      "requirements: 2 clauses proven, 1 pending for later issues"
    )
  })
})
