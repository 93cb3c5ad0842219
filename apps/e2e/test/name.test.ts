import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"
import * as Wire from "../src/Wire.ts"

it("the model calls a tool by its normalised name, and the client gets the method byte for byte [NAME-1.a NAME-1.c NAME-4.a TOOL-1.f]", async () => {
  const { said, wire } = await Pair.run({
    config: { yolo: true },
    tools: [{ name: "--constructor!", method: "_com.example/Größe%20", behaviour: { return: "found" } }],
    script: [
      {
        toolCalls: [
          { name: "client_constructor", arguments: {} },
          { name: "client___proto__", arguments: {} }
        ]
      },
      { text: "{{toolResults}}" }
    ]
  })
  expect(said).toBe("found\n[client tool error: unknown tool client___proto__]")
  expect(Wire.ofMethod(wire, "_com.example/Größe%20")).toHaveLength(1)
})
