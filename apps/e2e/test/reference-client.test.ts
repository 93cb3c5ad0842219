/** The reference client with the reference agent, as a program of one's own uses it: sessions, streams, options. */
import { startAgent } from "@acp-client-tools/client/promise"
import { expect, it } from "vitest"
import * as Command from "../src/Command.ts"
import * as Folder from "../src/Folder.ts"
import * as Wire from "../src/Wire.ts"

it("opens, streams, lists, closes, loads, resumes, changes and deletes sessions, with tools that differ by session [CLIENT-1.a CLIENT-5.b CLIENT-7.a]", async () => {
  const toolCalls = [{ name: "client_place", arguments: {} }]
  await using folder = await Folder.make({
    "agent.yaml": JSON.stringify({
      model: { provider: "script", script: "./steps.yaml" },
      acp: { clientTools: { discovery: "request" } },
      sessions: { directory: "./sessions" }
    }),
    "steps.yaml": JSON.stringify({
      steps: [{ toolCalls }, { text: "You are in {{toolResults}}." }, { toolCalls }, { text: "Still {{toolResults}}." }]
    })
  })
  const { args, command } = Command.agent(folder.path("agent.yaml"))
  const heard: Array<string> = []
  const asked: Array<unknown> = []
  const agent = await startAgent(command, args, {
    stderr: "ignore",
    tools: ({ cwd }) => [{ name: "place", method: "_t/place", execute: () => cwd }],
    permission: ({ options, toolCall }) => {
      asked.push(toolCall.title)
      return options.find(({ kind }) => kind === "allow_once")?.optionId
    },
    onUpdate: ({ update }) => {
      // A session's commands are told when it is ready, with whatever else happens at that time.
      if (update.sessionUpdate !== "available_commands_update") {
        heard.push(Wire.updateText(update) || update.sessionUpdate)
      }
    }
  })

  const [one, two] = await Promise.all([agent.newSession("/"), agent.newSession(folder.path("."))])
  const events: Array<string> = []
  for await (const event of one.stream("Where am I?")) {
    events.push(event.type === "stop" ? event.stopReason : Wire.updateText(event.update) || event.update.sessionUpdate)
  }
  expect(events.filter((event) => event !== "available_commands_update")).toEqual([
    "session_info_update",
    "tool_call",
    "tool_call_update",
    "/",
    "You are in /.",
    "end_turn"
  ])
  expect(await two.prompt("And I?")).toBe("end_turn")
  expect(heard.at(-1)).toBe(`You are in ${folder.path(".")}.`)
  expect(asked).toEqual(["client: place", "client: place"])

  const sessions = await agent.listSessions()
  expect(new Set(sessions.map(({ title }) => title))).toEqual(new Set(["And I?", "Where am I?"]))
  expect((await agent.listSessions({ cwd: "/" })).map(({ sessionId }) => sessionId)).toEqual([one.sessionId])

  await one.close()
  heard.length = 0
  const loaded = await agent.loadSession(one.sessionId, "/")
  expect(heard).toEqual(expect.arrayContaining(["Where am I?", "You are in /."]))
  const options = await loaded.setConfigOption("yolo", "on")
  expect(options).toEqual([expect.objectContaining({ id: "yolo", currentValue: "on" })])
  expect(await loaded.prompt("Again?")).toBe("end_turn")
  expect(heard.at(-1)).toBe("Still /.")
  expect(asked).toHaveLength(2)

  await loaded.close()
  heard.length = 0
  const resumed = await agent.resumeSession(one.sessionId, "/")
  expect(heard).toEqual([])
  await resumed.close()
  await agent.deleteSession(one.sessionId)
  expect((await agent.listSessions()).map(({ sessionId }) => sessionId)).toEqual([two.sessionId])
  const gone = await agent.loadSession(one.sessionId, "/").catch((cause: unknown) => cause)
  expect(gone).toMatchObject({ code: -32002 })
  await agent.close()
  expect(await agent.closed).toBe("the connection was closed on this side")
})
