import { expect, it } from "vitest"
import * as AgentHome from "../src/AgentHome.ts"
import * as Command from "../src/Command.ts"
import * as Folder from "../src/Folder.ts"
import * as Pair from "../src/Pair.ts"
import * as RawClient from "../src/RawClient.ts"
import * as Run from "../src/Run.ts"

const tools = [{ name: "a", behaviour: { return: "x" } }]

it("with enabled: false there is no tool, no request and no line [CFG-2.a CFG-2.b CFG-2.c META-4.b]", async () => {
  const { said, stderr, wire } = await Pair.run({
    config: { builtInTools: false, acp: { clientTools: { enabled: false, discovery: "request" } } },
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
    "the agent exited with code 2, before it answered initialize; run its command alone to see why"
  ])
  expect({ agentExit, exitCode }).toEqual({ agentExit: "2", exitCode: 1 })
})

it("an agent file that names only its model has every default [CFG-1.b CFG-1.c CFG-1.d CFG-1.f CFG-1.g CFG-1.i]", async () => {
  const call = { name: "client_a", arguments: {} }
  await using home = await AgentHome.make(Array.from({ length: 51 }, () => ({ toolCalls: [call] })))
  let n = 0
  const allow = { outcome: { outcome: "selected", optionId: "allow_always" } }
  await using agent = home.start({
    answers: { "session/request_permission": () => allow, "_t/a": () => `${n++}${"x".repeat(20_000)}` }
  })
  const { agentCapabilities } = await agent.initialize({ "org.mini-me/tools": [{ name: "a", method: "_t/a" }] })
  expect(agentCapabilities).toMatchObject({ _meta: { "org.acp-client-tools/discovery": "meta" } })
  const sessionId = await agent.newSession()
  expect(await agent.prompt(sessionId)).toBe("max_turn_requests")
  expect(n).toBe(50)
  expect(agent.received.filter(({ method }) => method === "session/request_permission")).toHaveLength(1)
  const [end] = agent.updates(sessionId).filter(({ status }) => status === "completed")
  expect(end).toMatchObject({ content: [{ content: { text: expect.stringMatching(/^[^]{16000}$/) } }] })
})

it.each([
  ["YAML", "model:\n  provider: script # as it is\n  script: ./steps.yaml\nyolo: true\n"],
  ["JSON", JSON.stringify({ model: { provider: "script", script: "./steps.yaml" }, yolo: true })]
])("an agent file may be %s [CFG-1.a]", async (_, text) => {
  await using folder = await Folder.make({ "agent.yaml": text, "steps.yaml": "steps: [{text: Hello.}]" })
  await using agent = RawClient.start(Command.agent(folder.path("agent.yaml")))
  await agent.initialize()
  expect(await agent.prompt(await agent.newSession())).toBe("end_turn")
})

/** Lines of an agent file, and what is said of them: the key, and what it takes. */
const refused: ReadonlyArray<ReadonlyArray<readonly [line: string, key: string, accepted: string]>> = [
  [
    ["acp: {clientTools: {", "", ""],
    ["  enabled: maybe,", "acp.clientTools.enabled", "true or false"],
    ["  discovery: both,", "acp.clientTools.discovery", '"meta" or "request"'],
    ["  permissions: never,", "acp.clientTools.permissions", '"auto" or "ask"'],
    ["  timeout: 999us}}", "acp.clientTools.timeout", "a duration such as"],
    ["yolo: 1", "yolo", "true or false"],
    ["maxOutput: 0", "maxOutput", "a whole number, at least 1"],
    ["maxTurnRequests: 1.5", "maxTurnRequests", "a whole number, at least 1"],
    ["loopDetector: {flagAfter: 0}", "loopDetector.flagAfter", "a whole number, at least 1"],
    ["sessions: {directory: []}", "sessions.directory", "a path"],
    ["systemPrompt: 7", "systemPrompt", "a text"]
  ],
  [
    ["loopDetector: {flagAfter: 6}", "loopDetector.flagAfter", "at most loopDetector.stopAfter (5)"],
    ["model: {provider: openai-compatible, name: m}", "model.baseUrl", "the address of the API"]
  ],
  [['sessions: {directory: ""}', "sessions.directory", "a path"]],
  [
    [
      "model: {provider: openai-compatible, name: m, baseUrl: 'http://u:p@h/v1'}",
      "model.baseUrl",
      "the address of the API"
    ]
  ],
  [
    [
      "model: {provider: openai-compatible, name: m, baseUrl: 'http://h/v1?a=1'}",
      "model.baseUrl",
      "the address of the API"
    ]
  ]
]

it.concurrent.each(refused)(
  "what cannot be used ends the start, with a line for each that says what is accepted [CFG-1.h CFG-1.l CFG-3.b CFG-4.a CFG-4.b]",
  async (...lines) => {
    await using folder = await Folder.make({
      "agent.yaml": lines.map(([line]) => line).join("\n"),
      "steps.yaml": "steps: []"
    })
    const { exitCode, stderr } = await Run.toEnd(Command.agent(folder.path("agent.yaml")))
    expect(exitCode).toBe(2)
    const expected = lines.flatMap(([, key, accepted], index) =>
      key === "" ? [] : [`agent.yaml:${index + 1}: ${key}`, accepted]
    )
    for (const text of expected) expect(stderr).toContain(text)
    expect(stderr.trimEnd().split("\n")).toHaveLength(expected.length / 2)
  }
)
