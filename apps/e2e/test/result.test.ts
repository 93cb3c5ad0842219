import { expect, it } from "vitest"
import * as AgentHome from "../src/AgentHome.ts"
import * as Pair from "../src/Pair.ts"
import * as RawClient from "../src/RawClient.ts"

const text = (value: unknown) => ({ type: "text", text: value })

it("every kind of result is read as the specification has it [RES-1.b RES-1.c RES-2.a RES-2.b RES-3.a RES-3.b RES-4.a RES-4.b RES-4.c RES-4.d RES-5.a]", async () => {
  const cases: ReadonlyArray<readonly [unknown, string]> = [
    ["plain", "plain"],
    [null, "null"],
    [{ a: [1] }, '{"a":[1]}'],
    [{ content: "x" }, '{"content":"x"}'],
    [
      { content: [text("a"), { type: "image" }, {}, text(5), text("b")] },
      "a[client tool: non-text content of type image skipped][client tool: non-text content of type unknown skipped][client tool: non-text content of type text skipped]b"
    ],
    [{ content: [text("no")], isError: true }, "[client tool error: no]"],
    [{ content: [text("yes")], isError: "true" }, "yes"],
    ["lone \ud83d half", "lone \ufffd half"]
  ]
  const { said } = await Pair.run({
    config: { yolo: true },
    tools: cases.map(([value], index) => ({ name: `t${index}`, behaviour: { return: value } })),
    script: [
      { toolCalls: cases.map((_, index) => ({ name: `client_t${index}`, arguments: {} })) },
      { text: "{{toolResults}}" }
    ]
  })
  expect(said.split("\n")).toEqual(cases.map(([, read]) => read))
})

it("a result of 30 MiB is read and cut, and one that says it is partial is a result like any other [CUT-1.a ERR-5.b]", async () => {
  const call = (name: string) => ({ name: `client_${name}`, arguments: {} })
  await using home = await AgentHome.make(
    [{ toolCalls: [call("large"), call("partial")] }, { text: "{{toolResults}}" }],
    {
      yolo: true,
      maxOutput: 100
    }
  )
  await using agent = home.start({
    answers: {
      "_t/large": () => ({ content: [{ type: "text", text: "ä".repeat(15 << 20) }] }),
      "_t/partial": () => ({ content: [{ type: "text", text: "half" }], _meta: { partial: true } })
    }
  })
  await agent.initialize({ "org.mini-me/tools": ["large", "partial"].map((name) => ({ name, method: `_t/${name}` })) })
  const sessionId = await agent.newSession()
  expect(await agent.prompt(sessionId)).toBe("end_turn")
  const read = RawClient.said(agent.updates(sessionId))
  expect(read).toMatch(/^ä+\n\[… 157\d+ characters cut …\]\nä+\nhalf$/)
  expect(Array.from(read)).toHaveLength(105)
})
