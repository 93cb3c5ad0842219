/** Questions to a recorded wire: which messages of a method, which answer to which request. Used by the demo and by tests. */
import { Discovery, Identifiers, Json } from "@acp-client-tools/protocol"
import type { Entry, Message } from "./WireRecord.ts"

const isMessage = (entry: Entry): entry is Message => "message" in entry

/** The messages of both sides, in order. */
export const messages = (entries: ReadonlyArray<Entry>): ReadonlyArray<Message> => entries.filter(isMessage)

/** Requests or notifications of one method. */
export const ofMethod = (wire: ReadonlyArray<Message>, method: string): ReadonlyArray<Message> =>
  wire.filter(({ message }) => message["method"] === method)

/** The answer to a request: same id, from the other side. */
export const answerTo = (wire: ReadonlyArray<Message>, request: Message | undefined): Message | undefined =>
  wire.find(
    ({ from, message }) =>
      from !== request?.from && message["method"] === undefined && message["id"] === request?.message["id"]
  )

/** The `update` of a `session/update`; `{}` for anything else. */
export const updateOf = ({ message }: Message): Json.JsonObject => {
  const update = Json.get(message["params"], "update")
  return Json.isObject(update) ? update : {}
}

/** The `update` objects of all `session/update` notifications. */
export const updates = (wire: ReadonlyArray<Message>): ReadonlyArray<Json.JsonObject> =>
  ofMethod(wire, "session/update").map(updateOf)

/** The text an update of a tool call, or a chunk of a message, carries. */
export const updateText = (update: Json.JsonObject): string => {
  const content = update["content"]
  const block: unknown = Array.isArray(content) ? Json.get(content[0], "content") : content
  const text = Json.get(block, "text")
  return typeof text === "string" ? text : ""
}

/** The list an `initialize` request offers; `undefined` when it offers none. */
export const offeredTools = (initialize: Message | undefined): ReadonlyArray<unknown> | undefined => {
  const advertisement = Discovery.fromMeta(
    Json.get(Json.get(initialize?.message["params"], "clientCapabilities"), "_meta")
  )
  return advertisement.kind === "list" ? advertisement.entries : undefined
}

/** The session id in the `_meta` of a tool call. */
export const sessionIdOfCall = (call: Message | undefined): unknown =>
  Json.get(Json.get(call?.message["params"], "_meta"), Identifiers.SESSION_ID_META_KEY)
