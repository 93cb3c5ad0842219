import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"
import * as Wire from "../src/Wire.ts"

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
