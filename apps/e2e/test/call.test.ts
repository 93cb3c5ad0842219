import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"
import * as Wire from "../src/Wire.ts"

it("arguments arrive as the model sent them, without the model's own _meta [CALL-2.a CALL-2.b CALL-3.a CALL-3.c CLIENT-2.a CLIENT-2.b]", async () => {
  const args = { __proto__x: 1, constructor: "c", toString: null, deep: { a: [1, { b: "ü" }] } }
  const { said, wire } = await Pair.run({
    config: { yolo: true },
    tools: [{ name: "echo", method: "_t/echo", behaviour: { returnArguments: true } }],
    script: [
      { toolCalls: [{ name: "client_echo", arguments: { ...args, _meta: { forged: true } } }] },
      { text: "{{toolResults}}" }
    ]
  })
  const sessionId = Wire.sessionIdOfCall(Wire.ofMethod(wire, "_t/echo")[0])
  expect(JSON.parse(said)).toEqual({ args, sessionId })
})

it("calls of one answer run together and are read in the order asked [CALL-6.a CALL-6.c]", async () => {
  const { said, wire } = await Pair.run({
    config: { yolo: true },
    tools: [
      // The first cannot end before the second has begun.
      { name: "first", method: "_t/first", behaviour: { waitFor: "second" } },
      { name: "second", method: "_t/second", behaviour: { return: "was second" } }
    ],
    script: [
      {
        toolCalls: [
          { name: "client_first", arguments: {} },
          { name: "client_second", arguments: {} }
        ]
      },
      { text: "{{toolResults}}" }
    ]
  })
  expect(said).toBe("done\nwas second")
  expect(Wire.updates(wire).filter(({ status }) => status === "completed")).toHaveLength(2)
})

it("a call that cannot be made is told to the model, and nothing is sent [CALL-1.a CALL-1.b CALL-1.c CALL-4.b CALL-5.a]", async () => {
  const { said, wire } = await Pair.run({
    config: { yolo: true },
    tools: [
      {
        name: "strict",
        method: "_t/strict",
        inputSchema: { type: "object", required: ["b", "n", "a"] },
        behaviour: { return: "ran" }
      }
    ],
    script: [
      {
        toolCalls: [
          { name: "client_strict", arguments: { n: null } },
          { name: "client_strict", argumentsText: '["b"]' },
          { name: "strict", arguments: {} }
        ]
      },
      { text: "{{toolResults}}" }
    ]
  })
  expect(said.split("\n")).toEqual([
    "[client tool error: missing required parameters: b, a]",
    "[client tool error: arguments must be a JSON object]",
    "[client tool error: unknown tool strict]"
  ])
  expect(Wire.ofMethod(wire, "_t/strict")).toEqual([])
})
