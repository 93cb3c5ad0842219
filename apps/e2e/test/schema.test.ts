import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"

it("the model is told of each tool with the rewritten schema [SCHEMA-1.b SCHEMA-2.a SCHEMA-3.a SCHEMA-4.a SCHEMA-6.a]", async () => {
  const { said } = await Pair.run({
    config: { builtInTools: false },
    tools: [
      {
        name: "rich",
        method: "_t/rich",
        description: "Does much.",
        inputSchema: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          properties: {
            colour: { type: "string", description: "Of the wall.", enum: ["red", "blue"] },
            place: {
              type: "object",
              properties: { x: { type: "number" } },
              required: ["x"],
              additionalProperties: false
            }
          },
          required: ["colour"],
          additionalProperties: false
        },
        behaviour: { return: null }
      }
    ],
    script: [{ text: "{{tools}}" }]
  })
  expect(JSON.parse(said)).toEqual([
    {
      name: "client_rich",
      description: "Does much. Required parameters: colour",
      parameters: {
        type: "object",
        properties: {
          colour: { type: "string", description: "Of the wall. One of: red, blue." },
          place: { type: "object", properties: { x: { type: "number" } }, description: "Required parameters: x" }
        }
      }
    }
  ])
})
