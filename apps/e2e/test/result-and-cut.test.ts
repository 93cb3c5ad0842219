import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"
import * as Wire from "../src/Wire.ts"

const text = (value: unknown) => ({ type: "text", text: value })

it("every kind of result is read as the specification has it [RES-1.b RES-1.c RES-2.a RES-2.b RES-3.a RES-3.b RES-4.a RES-4.b RES-4.c RES-4.d RES-5.a]", async () => {
  const cases: ReadonlyArray<readonly [unknown, string]> = [
    ["plain", "plain"],
    [null, "null"],
    [{ a: [1] }, '{"a":[1]}'],
    [{ content: "x" }, '{"content":"x"}'],
    [
      { content: [text("a"), { type: "image" }, {}, text(5), text("b")] },
      "a[client tool: non-text content of type image skipped][client tool: non-text content of type unknown skipped][client tool: non-text content of type text skipped]b"
    ],
    [{ content: [text("no")], isError: true }, "[client tool error: no]"],
    [{ content: [text("yes")], isError: "true" }, "yes"],
    ["lone \ud83d half", "lone \ufffd half"]
  ]
  const { said } = await Pair.run({
    config: { yolo: true },
    tools: cases.map(([value], index) => ({ name: `t${index}`, behaviour: { return: value } })),
    script: [
      { toolCalls: cases.map((_, index) => ({ name: `client_t${index}`, arguments: {} })) },
      { text: "{{toolResults}}" }
    ]
  })
  expect(said.split("\n")).toEqual(cases.map(([, read]) => read))
})

it("results and errors alike are cut to maxOutput, for the model and the editor [CUT-1.a CUT-1.b CUT-2.a CUT-2.c REPORT-1.e]", async () => {
  const { said, wire } = await Pair.run({
    config: { yolo: true, maxOutput: 40 },
    tools: [
      { name: "long", behaviour: { return: "😀".repeat(100) } },
      { name: "sorry", behaviour: { throw: "x".repeat(100) } }
    ],
    script: [
      {
        toolCalls: [
          { name: "client_long", arguments: {} },
          { name: "client_sorry", arguments: {} }
        ]
      },
      { text: "{{toolResults}}" }
    ]
  })
  const long = `${"😀".repeat(8)}\n[… 85 characters cut …]\n${"😀".repeat(7)}`
  const sorry = "[client\n[… 107 characters cut …]\nxxxxxx]"
  expect(said).toBe(`${long}\n${sorry}`)
  const ends = Wire.updates(wire).filter(({ status }) => status === "completed" || status === "failed")
  expect(ends.map(Wire.updateText).toSorted()).toEqual([long, sorry].toSorted())
})
