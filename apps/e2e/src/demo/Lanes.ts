/** The recorded wire as a picture with three lanes: who sent what to whom. Each entry becomes a line, or none. */
import { Identifiers, Json, LogLine, ToolName, Wording } from "@acp-client-tools/protocol"
import * as Wire from "../Wire.ts"
import type { Entry, Message } from "../WireRecord.ts"

type Arrow = "toAgent" | "toClient" | "toModel" | "fromModel" | "agentLog"

const arrows: Record<Arrow, string> = {
  toAgent: "●────────────▶│             │",
  toClient: "│◀────────────●             │",
  toModel: "│             ●────────────▶│",
  fromModel: "│             │◀────────────●",
  agentLog: "│             ■             │"
}

/** Over every picture: what is not a message on the wire is said here. */
export const heading: ReadonlyArray<string> = [
  "The model works inside the agent: its lane is read off the updates that the agent sends the client.",
  "■ is a line on the agent's stderr.",
  "",
  "client        agent         model",
  "│             │             │"
]

const quote = (text: unknown): string => JSON.stringify(text)

const names = (tools: unknown): string =>
  Array.isArray(tools) ? tools.map((tool: unknown) => quote(Json.get(tool, "name"))).join(", ") : "none"

/** What the model calls the tool with this title; the title where it is no tool of the client's. */
const modelName = (title: unknown): string => {
  const text = String(title)
  const prefix = Wording.callTitle("")
  return (text.startsWith(prefix) ? ToolName.toModelName(text.slice(prefix.length)) : undefined) ?? text
}

/** The arguments of a call without `_meta`. */
const argumentsOf = (params: unknown): string => {
  const { _meta, ...args } = Json.isObject(params) ? params : {}
  return JSON.stringify(args)
}

const chosen = (result: unknown): string => {
  const outcome = Json.get(result, "outcome")
  return String(Json.get(outcome, "optionId") ?? Json.get(outcome, "outcome"))
}

/** What a client's answer to a call says, short. */
const answer = (message: Json.JsonObject): string => {
  if (message["error"] !== undefined) return `error ${JSON.stringify(message["error"])}`
  const content = Json.get(message["result"], "content")
  if (!Array.isArray(content)) return JSON.stringify(message["result"])
  const failed = Json.get(message["result"], "isError") === true ? "isError: " : ""
  return failed + content.map((block: unknown) => quote(Json.get(block, "text"))).join(" ")
}

/** The text of a prompt's first block. */
const promptText = (params: unknown): unknown => {
  const prompt = Json.get(params, "prompt")
  return Array.isArray(prompt) ? Json.get(prompt[0], "text") : undefined
}

type Line = readonly [Arrow, string] | undefined

/** A request or a notification. */
const request = (message: Json.JsonObject): Line => {
  const method = String(message["method"])
  const params = message["params"]
  switch (method) {
    case "initialize": {
      const offered = Json.get(Json.get(Json.get(params, "clientCapabilities"), "_meta"), Identifiers.TOOLS_META_KEY)
      return [
        "toAgent",
        offered === true ? "initialize: I have tools, ask me for them" : `initialize, offering ${names(offered)}`
      ]
    }
    case "session/new":
      return ["toAgent", "session/new"]
    case "session/prompt":
      return ["toAgent", `session/prompt ${quote(promptText(params))}`]
    case Identifiers.LIST_METHOD:
      return ["toClient", `which tools does this session have? (${Identifiers.LIST_METHOD})`]
    case "session/request_permission":
      return [
        "toClient",
        `may I run ${quote(Json.get(Json.get(params, "toolCall"), "title"))}? (session/request_permission)`
      ]
    case "$/cancel_request":
      return ["toClient", "too late, stop it ($/cancel_request)"]
    default:
      return method.startsWith("_") ? ["toClient", `${method} ${argumentsOf(params)}`] : undefined
  }
}

/** The answer to `asked`. */
const response = (asked: Message | undefined, message: Json.JsonObject): Line => {
  const result = message["result"]
  switch (asked?.message["method"]) {
    case "initialize": {
      const mode = Json.get(Json.get(Json.get(result, "agentCapabilities"), "_meta"), Identifiers.DISCOVERY_META_KEY)
      return ["toClient", `I am here; my discovery mode is ${String(mode)}`]
    }
    case "session/new":
      return ["toClient", `the session is open: ${String(Json.get(result, "sessionId"))}`]
    case "session/prompt":
      return ["toClient", `the turn ended: ${String(Json.get(result, "stopReason"))}`]
    case Identifiers.LIST_METHOD:
      return ["toAgent", `these: ${names(Json.get(result, "tools"))}`]
    case "session/request_permission":
      return ["toAgent", chosen(result)]
    default:
      return asked === undefined ? undefined : ["toAgent", answer(message)]
  }
}

/** A `session/update`, the model's part of the story. */
const update = (told: Json.JsonObject): Line => {
  if (told["sessionUpdate"] === "agent_message_chunk") return ["fromModel", `says ${quote(Wire.updateText(told))}`]
  if (told["sessionUpdate"] === "tool_call") {
    return ["fromModel", `calls ${modelName(told["title"])} ${JSON.stringify(told["rawInput"])}`]
  }
  return told["status"] === "completed" || told["status"] === "failed"
    ? ["toModel", `${told["status"]}: ${quote(Wire.updateText(told))}`]
    : undefined
}

/** Tells the lines of one conversation; remembers requests to name their answers. */
export const make = (): ((entry: Entry) => string | undefined) => {
  const requests: Array<Message> = []
  const stopped = new Set<unknown>()

  const tell = (entry: Entry): Line => {
    if (!("message" in entry)) return entry.from === "stderr" ? ["agentLog", entry.line] : undefined
    const { from, message } = entry
    if (message["method"] === "session/update") return update(Wire.updateOf(entry))
    if (typeof message["method"] === "string") {
      if (message["id"] !== undefined) requests.push(entry)
      if (message["method"] === "$/cancel_request") stopped.add(Json.get(message["params"], "requestId"))
      return request(message)
    }
    const asked = requests.find((one) => one.from !== from && one.message["id"] === message["id"])
    const line = response(asked, message)
    const isLate = from === "client" && stopped.has(message["id"])
    return line !== undefined && isLate ? [line[0], `${line[1]} (after the stop: nobody waits for it)`] : line
  }

  return (entry) => {
    const told = tell(entry)
    return told === undefined ? undefined : `${arrows[told[0]]}  ${LogLine.escape(told[1])}`
  }
}
