import { Json } from "@acp-client-tools/protocol"
import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"
import * as Wire from "../src/Wire.ts"

const tools = [{ name: "a", method: "_t/a", behaviour: { return: "from a" } }]
const script = [{ toolCalls: [{ name: "client_a", arguments: {} }] }, { text: "{{toolResults}}" }]
const config = { yolo: true, acp: { clientTools: { discovery: "request" } } }

it("the agent asks for the list inside session/new, with the id it will answer and the cwd it was given [REQ-1.a REQ-1.b REQ-2.a REQ-2.d REQ-2.e REQ-3.a REQ-7.a CLIENT-10.c]", async () => {
  const { said, wire } = await Pair.run({ config, tools, script, args: ["--discovery", "request"] })
  const [initialize] = Wire.ofMethod(wire, "initialize")
  expect(initialize?.line).toContain('"org.mini-me/tools":true')
  const [newSession] = Wire.ofMethod(wire, "session/new")
  const [list, ...more] = Wire.ofMethod(wire, "_org.mini-me/tools/list")
  const opened = Wire.answerTo(wire, newSession)
  expect(more).toEqual([])
  expect(wire.findIndex((one) => one === opened)).toBeGreaterThan(wire.findIndex((one) => one === list))
  expect(list?.message["params"]).toEqual({
    sessionId: Json.get(opened?.message["result"], "sessionId"),
    cwd: Json.get(newSession?.message["params"], "cwd")
  })
  expect(said).toBe("from a")
})

it("a client that sends its list serves an agent that asks for it too [REQ-1.c CLIENT-10.a CLIENT-10.b CLIENT-1.a]", async () => {
  const { said, wire } = await Pair.run({ config, tools, script })
  expect(Wire.ofMethod(wire, "_org.mini-me/tools/list")).toHaveLength(1)
  expect(said).toBe("from a")
})

it("a client without tools is not asked [REQ-1.d CLI-1.b]", async () => {
  const { said, stderr, wire } = await Pair.run({
    config: { ...config, builtInTools: false },
    script: [{ text: "{{tools}}" }]
  })
  expect(Wire.ofMethod(wire, "_org.mini-me/tools/list")).toEqual([])
  expect({ said, stderr }).toEqual({ said: "[]", stderr: [] })
})
