import { Json } from "@acp-client-tools/protocol"
import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"
import * as Wire from "../src/Wire.ts"

const tools = [{ name: "a", method: "_t/a", behaviour: { return: "from a" } }]

it("the list stands in initialize, and the agent names its mode [META-1.a META-4.a]", async () => {
  const { exitCode, said, wire } = await Pair.run({
    config: { yolo: true },
    tools,
    script: [{ toolCalls: [{ name: "client_a", arguments: {} }] }, { text: "{{toolResults}}" }]
  })
  const [initialize] = Wire.ofMethod(wire, "initialize")
  expect(Wire.offeredTools(initialize)).toEqual([{ name: "a", method: "_t/a" }])
  const answer = Wire.answerTo(wire, initialize)?.message["result"]
  expect(Json.get(answer, "agentCapabilities")).toMatchObject({ _meta: { "org.acp-client-tools/discovery": "meta" } })
  expect({ exitCode, said }).toEqual({ exitCode: 0, said: "from a" })
})

it("a client that waits to be asked gives an agent of mode meta nothing but a hint [META-2.a META-2.b]", async () => {
  const { said, stderr } = await Pair.run({
    config: { builtInTools: false },
    tools,
    args: ["--discovery", "request"],
    script: [{ text: "{{tools}}" }]
  })
  expect(said).toBe("[]")
  expect(stderr).toEqual([
    '[acp] client tools: "org.mini-me/tools" is not a list of tools; a client that answers _org.mini-me/tools/list needs acp.clientTools.discovery: request'
  ])
})
