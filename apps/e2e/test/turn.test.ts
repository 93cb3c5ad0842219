import { Json } from "@acp-client-tools/protocol"
import { expect, it } from "vitest"
import * as AgentHome from "../src/AgentHome.ts"
import * as Pair from "../src/Pair.ts"
import * as Wire from "../src/Wire.ts"

it("Ctrl-C cancels the call and the turn, and every update comes before the prompt's answer [TURN-1.b TURN-4.e ERR-3.a ERR-3.b CLI-4.d CLIENT-2.f]", async () => {
  const { agentExit, exitCode, wire } = await Pair.run({
    config: { yolo: true },
    tools: [{ name: "slow", method: "_t/slow", behaviour: { never: true } }],
    script: [{ toolCalls: [{ name: "client_slow", arguments: {} }] }, { text: "never said" }],
    onEntry: (entry, client) => {
      if ("message" in entry && entry.message["method"] === "_t/slow") client.kill("SIGINT")
    }
  })
  const [prompt] = Wire.ofMethod(wire, "session/prompt")
  const [call] = Wire.ofMethod(wire, "_t/slow")
  expect(Wire.ofMethod(wire, "session/cancel")).toHaveLength(1)
  expect(Wire.ofMethod(wire, "$/cancel_request").map(({ message }) => message["params"])).toEqual([
    { requestId: call?.message["id"] }
  ])
  const ends = Wire.updates(wire).filter(({ status }) => status === "failed")
  expect(ends.map(Wire.updateText)).toEqual(["[client tool error: cancelled]"])
  expect(Json.get(Wire.answerTo(wire, prompt)?.message["result"], "stopReason")).toBe("cancelled")
  expect({ agentExit, exitCode }).toEqual({ agentExit: "0", exitCode: 130 })
})

it("Ctrl-C while the model thinks ends the turn as well [TURN-1.a TURN-4.e CLI-4.e]", async () => {
  const { exitCode, wire } = await Pair.run({
    script: [{ text: "Let me think.", wait: true }],
    onEntry: (entry, client) => {
      if ("message" in entry && entry.line.includes("Let me think.")) client.kill("SIGINT")
    }
  })
  const [prompt] = Wire.ofMethod(wire, "session/prompt")
  expect(Json.get(Wire.answerTo(wire, prompt)?.message["result"], "stopReason")).toBe("cancelled")
  expect(exitCode).toBe(130)
})

it.each([
  ["max_tokens", [{ text: "I was about to", stopReason: "length", toolCalls: [{ name: "client_a", arguments: {} }] }]],
  ["refusal", [{ text: "", stopReason: "refusal" }]],
  ["max_turn_requests", [{ toolCalls: [{ name: "client_a", arguments: {} }] }]]
])(
  "a turn that ends with %s ends the client with code 1 [TURN-4.b TURN-4.c TURN-4.d CLI-4.b]",
  async (stopReason, script) => {
    const { exitCode, stderr, wire } = await Pair.run({
      config: { maxTurnRequests: 1, yolo: true },
      tools: [{ name: "a", method: "_t/a", behaviour: { return: "x" } }],
      script
    })
    expect(exitCode).toBe(1)
    expect(stderr.at(-1)).toBe(`the turn ended with ${stopReason}`)
    expect(Wire.ofMethod(wire, "_t/a")).toHaveLength(stopReason === "max_turn_requests" ? 1 : 0)
  }
)

it("a model that fails is an error with its words, and both end in order [TURN-4.f CLI-4.b]", async () => {
  const { agentExit, exitCode, said, stderr } = await Pair.run({
    script: [{ text: "Hm.", error: "the model is out of tea" }]
  })
  expect(said).toBe("Hm.")
  expect(stderr.at(-1)).toContain("the model is out of tea")
  expect({ agentExit, exitCode }).toEqual({ agentExit: "0", exitCode: 1 })
})

it("of results and a cancel in one write those before the cancel are kept, those behind it are late [ERR-3.a ERR-3.b ERR-3.d]", async () => {
  const calls = ["a", "b", "c"].map((name) => ({ id: name, name: `client_${name}`, arguments: {} }))
  await using home = await AgentHome.make([{ toolCalls: calls }], { yolo: true })
  await using agent = home.start()
  await agent.initialize({ "org.mini-me/tools": ["a", "b", "c"].map((name) => ({ name, method: `_t/${name}` })) })
  const sessionId = await agent.newSession()
  const turn = agent.prompt(sessionId)
  const [a, b, c] = await Promise.all(
    ["_t/a", "_t/b", "_t/c"].map(async (wanted) => (await agent.first(({ method }) => method === wanted))["id"])
  )
  agent.write(
    { id: a, result: "kept" },
    { method: "session/cancel", params: { sessionId } },
    { id: b, result: "late" },
    { id: c, result: "late" }
  )
  expect(await turn).toBe("cancelled")
  const ends = agent.updates(sessionId).filter(({ status }) => status === "completed" || status === "failed")
  expect(Object.fromEntries(ends.map(({ status, toolCallId }) => [toolCallId, status]))).toEqual({
    a: "completed",
    b: "failed",
    c: "failed"
  })
  const cancelled = agent.received.filter(({ method }) => method === "$/cancel_request")
  expect(cancelled.map(({ params }) => Json.get(params, "requestId"))).toEqual(expect.arrayContaining([b, c]))
  expect(cancelled).toHaveLength(2)
})
