import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"
import * as Wire from "../src/Wire.ts"

it("a call nobody answers is cancelled at its deadline, and the turn goes on [ERR-2.a ERR-2.b ERR-2.c ERR-2.d CLIENT-2.f]", async () => {
  const { exitCode, said, wire } = await Pair.run({
    config: { yolo: true, acp: { clientTools: { timeout: "250ms" } } },
    tools: [{ name: "slow", method: "_t/slow", behaviour: { never: true } }],
    script: [{ toolCalls: [{ name: "client_slow", arguments: {} }] }, { text: "{{toolResults}}" }]
  })
  expect(said).toBe(
    '[client tool error: {"code":-32800,"message":"Request cancelled","data":{"reason":"no answer within 250ms"}}]'
  )
  const [call] = Wire.ofMethod(wire, "_t/slow")
  const cancels = Wire.ofMethod(wire, "$/cancel_request").map(({ message }) => message["params"])
  expect(cancels).toEqual([{ requestId: call?.message["id"] }])
  expect(Wire.answerTo(wire, call)?.message["error"]).toMatchObject({ code: -32800 })
  expect(exitCode).toBe(0)
})

it("what a handler throws is read as a failed call, and the turn goes on [CLIENT-4.d RES-3.a ERR-1.c]", async () => {
  const { said } = await Pair.run({
    config: { yolo: true },
    tools: [{ name: "sorry", behaviour: { throw: '{"code":1}' } }],
    script: [{ toolCalls: [{ name: "client_sorry", arguments: {} }] }, { text: "{{toolResults}} and on" }]
  })
  expect(said).toBe('[client tool error: {"code":1}] and on')
})
