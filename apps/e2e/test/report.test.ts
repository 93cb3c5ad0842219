import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"
import * as Wire from "../src/Wire.ts"

it("each call has an id of its own and one end, all before the prompt's answer [REPORT-1.a REPORT-1.b REPORT-1.c REPORT-1.d REPORT-1.f REPORT-2.a REPORT-2.b CALL-6.d]", async () => {
  const { wire } = await Pair.run({
    config: { yolo: true },
    tools: [{ name: "echo", behaviour: { return: "x" } }],
    script: [
      {
        toolCalls: [
          { id: "same", name: "client_echo", arguments: {} },
          { id: "same", name: "client_echo", arguments: {} },
          { id: "same", name: "client_nobody", arguments: { a: 1 } }
        ]
      },
      { text: "{{messages}}" }
    ]
  })
  const updates = Wire.updates(wire)
  const begun = updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")
  const ids = begun.map(({ toolCallId }) => toolCallId)
  expect(new Set(ids).size).toBe(3)
  expect(begun[0]).toMatchObject({ title: "client: echo", kind: "other", status: "pending", rawInput: {} })
  const statuses = (id: unknown) => updates.filter(({ toolCallId }) => toolCallId === id).map(({ status }) => status)
  expect(ids.map(statuses)).toEqual([
    ["pending", "in_progress", "completed"],
    ["pending", "in_progress", "completed"],
    ["pending", "failed"]
  ])
  const [prompt] = Wire.ofMethod(wire, "session/prompt")
  expect(wire.findLastIndex(({ message }) => message["method"] === "session/update")).toBeLessThan(
    wire.findIndex((one) => one === Wire.answerTo(wire, prompt))
  )
})
