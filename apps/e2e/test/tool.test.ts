import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"

it("a tool with nothing but a name and a method is told with a description and no parameters [TOOL-3.a TOOL-4.a]", async () => {
  const { said } = await Pair.run({
    config: { builtInTools: false },
    tools: [{ name: "plain", method: "_t/plain", behaviour: { return: null } }],
    script: [{ text: "{{tools}}" }]
  })
  expect(JSON.parse(said)).toEqual([
    {
      name: "client_plain",
      description: "Tool provided by the editor (_t/plain).",
      parameters: { type: "object", properties: {} }
    }
  ])
})
