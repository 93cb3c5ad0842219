import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"

const tools = [{ name: "a", behaviour: { return: "x" } }]

it("with enabled: false there is no tool, no request and no line [CFG-2.a CFG-2.b CFG-2.c META-4.b]", async () => {
  const { said, stderr, wire } = await Pair.run({
    config: { acp: { clientTools: { enabled: false, discovery: "request" } } },
    tools,
    script: [{ text: "{{tools}}" }]
  })
  expect({ said, stderr }).toEqual({ said: "[]", stderr: [] })
  expect(JSON.stringify(wire.map(({ line }) => line))).not.toContain("tools/list")
  expect(JSON.stringify(wire.map(({ line }) => line))).not.toContain("org.acp-client-tools/discovery")
})

it("the system prompt is what the model is told first [CFG-1.j]", async () => {
  const { said } = await Pair.run({ config: { systemPrompt: "Be brief." }, script: [{ text: "{{systemPrompt}}" }] })
  expect(said).toBe("Be brief.")
})

it("an agent file that cannot be used ends both, with the agent's words and the client's [CFG-4.a CFG-4.b CLIENT-8.e CLI-4.b]", async () => {
  const { agentExit, exitCode, stderr } = await Pair.run({
    config: { acp: { clientTools: { timeout: 30 } } },
    script: []
  })
  expect(stderr).toEqual([
    expect.stringMatching(/agent\.yaml:1: acp\.clientTools\.timeout: 30 is not accepted; it takes a duration such as/),
    "the agent exited with code 2, before it answered initialize"
  ])
  expect({ agentExit, exitCode }).toEqual({ agentExit: "2", exitCode: 1 })
})
