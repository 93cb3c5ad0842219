/** The two parts of the demo: what is run, and what its wire must show. Run by main, one after the other. */
import { fileURLToPath } from "node:url"
import { Json, Wording } from "@acp-client-tools/protocol"
import type { Entry, Message } from "../WireRecord.ts"
import * as Wire from "../Wire.ts"

/** A sentence about the recorded wire, and whether it holds. */
export interface Check {
  readonly sentence: string
  readonly holds: boolean
}

export interface Story {
  readonly title: string
  readonly configFile: string
  readonly discovery: "meta" | "request"
  readonly prompt: string
  readonly checks: (entries: ReadonlyArray<Entry>) => ReadonlyArray<Check>
}

const example = (name: string): string =>
  fileURLToPath(new URL(`../../../../examples/todo-list/${name}`, import.meta.url))

/** The tools both parts offer. */
export const toolsFile = example("tools.ts")

const BUFFERS = "_com.example/workspace/buffers"
const LIST = "_org.mini-me/tools/list"

/** The texts the model read, in the order the calls ended. */
const readTexts = (wire: ReadonlyArray<Message>): ReadonlyArray<string> =>
  Wire.updates(wire)
    .filter(({ status }) => status === "completed" || status === "failed")
    .map(Wire.updateText)

const reads = (wire: ReadonlyArray<Message>, text: string): Check => ({
  sentence: `the model read ${JSON.stringify(text)}`,
  holds: readTexts(wire).includes(text)
})

const everyCallEndedOnce = (wire: ReadonlyArray<Message>): Check => {
  const updates = Wire.updates(wire)
  const begun = updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")
  const ended = updates.filter(({ status }) => status === "completed" || status === "failed")
  const endsOf = (id: unknown) => ended.filter(({ toolCallId }) => toolCallId === id).length
  return {
    sentence: "every call was announced once and ended once",
    holds: begun.length === ended.length && begun.every(({ toolCallId }) => endsOf(toolCallId) === 1)
  }
}

const endedWell = (entries: ReadonlyArray<Entry>): Check => ({
  sentence: "the turn ended with end_turn, and the agent exited with code 0",
  holds:
    Wire.messages(entries).some(({ message }) => Json.get(message["result"], "stopReason") === "end_turn") &&
    entries.at(-1)?.line === "0"
})

/** True when the messages come in this order. */
const inOrder = (wire: ReadonlyArray<Message>, ...steps: ReadonlyArray<Message | undefined>): boolean => {
  const places = steps.map((step) => (step === undefined ? -1 : wire.indexOf(step)))
  return places.every((place, index) => place >= 0 && place > (places[index - 1] ?? -1))
}

const meta: Story = {
  title: "Part 1: the client sends its tools in initialize (discovery: meta), and they run without a question",
  configFile: example("meta.yaml"),
  discovery: "meta",
  prompt: "What is open? Note what I should do.",
  checks: (entries) => {
    const wire = Wire.messages(entries)
    const [initialize] = Wire.ofMethod(wire, "initialize")
    const [call] = Wire.ofMethod(wire, BUFFERS)
    return [
      {
        sentence: "initialize carried three tools, and the agent asked for no list",
        holds: Wire.offeredTools(initialize)?.length === 3 && Wire.ofMethod(wire, LIST).length === 0
      },
      {
        sentence: "the call went to the client with the model's arguments and the session's id",
        holds: Json.get(call?.message["params"], "language") === "go" && Wire.sessionIdOfCall(call) !== undefined
      },
      reads(wire, "main.go\nutil.go"),
      reads(wire, "added as number 1"),
      reads(wire, Wording.toolError("a to-do needs a text")),
      reads(wire, "1. review main.go"),
      {
        sentence: "nobody was asked for permission",
        holds: Wire.ofMethod(wire, "session/request_permission").length === 0
      },
      everyCallEndedOnce(wire),
      endedWell(entries)
    ]
  }
}

const request: Story = {
  title:
    "Part 2: the agent asks for each session's tools (discovery: request), asks before a call, and does not wait for ever",
  configFile: example("request.yaml"),
  discovery: "request",
  prompt: "Which files are open?",
  checks: (entries) => {
    const wire = Wire.messages(entries)
    const [newSession] = Wire.ofMethod(wire, "session/new")
    const [list] = Wire.ofMethod(wire, LIST)
    const [question] = Wire.ofMethod(wire, "session/request_permission")
    const [call, slowCall] = Wire.ofMethod(wire, BUFFERS)
    const cancels = Wire.ofMethod(wire, "$/cancel_request")
    return [
      {
        sentence: "the agent asked for the list after session/new came and before it answered it",
        holds: inOrder(wire, newSession, list, Wire.answerTo(wire, list), Wire.answerTo(wire, newSession))
      },
      {
        sentence: "the call was made after the client had allowed it",
        holds: inOrder(wire, question, Wire.answerTo(wire, question), call)
      },
      reads(wire, "index.ts"),
      {
        sentence: "the slow call was cancelled at its deadline, once",
        holds: cancels.length === 1 && Json.get(cancels[0]?.message["params"], "requestId") === slowCall?.message["id"]
      },
      reads(wire, Wording.toolError(JSON.stringify(Wording.timeoutError("400ms")))),
      everyCallEndedOnce(wire),
      endedWell(entries)
    ]
  }
}

/** Both discovery modes, one after the other. */
export const stories: ReadonlyArray<Story> = [meta, request]
