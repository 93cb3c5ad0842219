import { Json } from "@acp-client-tools/protocol"
import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"
import * as Wire from "../src/Wire.ts"

const tools = [{ name: "open buffers", method: "_t/a", behaviour: { return: "ran" } }]
const script = [{ toolCalls: [{ name: "client_open_buffers", arguments: { n: 1 } }] }, { text: "{{toolResults}}" }]

it("an allowed call goes pending, question, in_progress, request, end [PERM-1.b PERM-1.c PERM-1.d PERM-1.e PERM-2.a PERM-2.b]", async () => {
  const { said, wire } = await Pair.run({ tools, script, args: ["--permission", "allow"] })
  const [question] = Wire.ofMethod(wire, "session/request_permission")
  const shown = Json.get(question?.message["params"], "toolCall")
  expect(shown).toMatchObject({ title: "client: open buffers", kind: "other", status: "pending", rawInput: { n: 1 } })
  const id = Json.get(shown, "toolCallId")
  const steps = wire.flatMap((one) => {
    const update = Wire.updateOf(one)
    if (update["toolCallId"] === id) return [update["status"]]
    return one === question || one.message["method"] === "_t/a" ? [one.message["method"]] : []
  })
  expect(steps).toEqual(["pending", "session/request_permission", "in_progress", "_t/a", "completed"])
  expect(said).toBe("ran")
})

it("a refused call reaches no handler, and the turn goes on [PERM-4.b PERM-4.d CLI-3.b]", async () => {
  const { exitCode, said, wire } = await Pair.run({ tools, script, args: ["--permission", "deny"] })
  expect(Wire.ofMethod(wire, "_t/a")).toEqual([])
  expect({ exitCode, said }).toEqual({ exitCode: 0, said: "[client_open_buffers rejected by user]" })
})

it("with yolo nobody is asked, unless the agent file says that every call asks [PERM-1.a PERM-1.b]", async () => {
  const quiet = await Pair.run({ config: { yolo: true }, tools, script })
  expect(Wire.ofMethod(quiet.wire, "session/request_permission")).toEqual([])
  const asking = await Pair.run({
    config: { yolo: true, acp: { clientTools: { permissions: "ask" } } },
    tools,
    script,
    args: ["--permission", "allow"]
  })
  expect(Wire.ofMethod(asking.wire, "session/request_permission")).toHaveLength(1)
})
