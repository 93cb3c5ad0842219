import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"
import * as Wire from "../src/Wire.ts"

it("a client's tool goes through the whole pipeline: check, permission, timeout, decode, cut, report [OWN-1.a]", async () => {
  const { said, wire } = await Pair.run({
    config: { maxOutput: 60, acp: { clientTools: { timeout: "250ms" } } },
    tools: [
      {
        name: "long",
        inputSchema: { required: ["q"] },
        behaviour: { return: { content: [{ type: "image" }, { type: "text", text: "x".repeat(90) }] } }
      },
      { name: "slow", behaviour: { never: true } }
    ],
    args: ["--permission", "allow"],
    script: [
      {
        toolCalls: [
          { name: "client_long", arguments: {} },
          { name: "client_long", arguments: { q: 1 } },
          { name: "client_slow", arguments: {} }
        ]
      },
      { text: "{{toolResults}}" }
    ]
  })
  expect(Wire.ofMethod(wire, "session/request_permission")).toHaveLength(2)
  const ends = Wire.updates(wire).filter(({ status }) => status === "completed" || status === "failed")
  expect(ends.filter(({ status }) => status === "failed")).toHaveLength(2)
  expect(ends).toHaveLength(3)
  for (const end of ends) {
    const text = Wire.updateText(end)
    expect(said).toContain(text)
    expect(Array.from(text).length).toBeLessThanOrEqual(60)
  }
})
