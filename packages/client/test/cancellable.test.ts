/** Work for a request that may be withdrawn. */
import { assert, it } from "vitest"
import * as Cancellable from "../src/Cancellable.ts"

it("is not begun when it is withdrawn in the same moment [CLIENT-2.e]", async () => {
  let isBegun = false
  const cancel = new AbortController()
  const answer = Cancellable.run(cancel.signal, () => (isBegun = true)).catch((cause: unknown) => cause)
  cancel.abort()
  assert.propertyVal(await answer, "code", -32800)
  await new Promise(setImmediate)
  assert.isFalse(isBegun)
})
