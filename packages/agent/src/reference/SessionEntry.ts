/**
 * One thing that happened in a session, as it is kept: a line of a session file. History makes its views from entries;
 * stores keep them without looking inside.
 */
import { Json } from "@acp-client-tools/protocol"
import { Schema } from "effect"

const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })

const ResourceLink = Schema.Struct({
  type: Schema.Literal("resource_link"),
  uri: Schema.String,
  name: Schema.String,
  title: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const mimeType = Schema.optionalKey(Schema.NullOr(Schema.String))
const Resource = Schema.Struct({
  type: Schema.Literal("resource"),
  resource: Schema.Union([
    Schema.Struct({ uri: Schema.String, text: Schema.String, mimeType }),
    Schema.Struct({ uri: Schema.String, blob: Schema.String, mimeType })
  ])
})

/** A block of a prompt, of a type the agent advertises. */
export const PromptBlock = Schema.Union([Text, ResourceLink, Resource])
export type PromptBlock = typeof PromptBlock.Type

/** The user's prompt began a turn. */
const Prompt = Schema.Struct({ type: Schema.Literal("prompt"), content: Schema.Array(PromptBlock) })

/** What the model said of one kind without a break. */
const Part = Schema.Struct({ type: Schema.Literals(["text", "thought"]), text: Schema.String })
export type Part = typeof Part.Type

const ToolKind = Schema.Literals([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other"
])

/** A call the model asked for, as the client was shown it. */
const ToolCall = Schema.Struct({
  /** Unique in the session. */
  toolCallId: Schema.String,
  /** The name the model used. */
  name: Schema.String,
  title: Schema.String,
  kind: ToolKind,
  /** The arguments as the model sent them; absent when they cannot be written. */
  rawInput: Schema.optionalKey(Schema.Unknown)
})
export type ToolCall = typeof ToolCall.Type

/** One answer of the model, also one that was cut off: there is one for every request it was sent. */
const Answer = Schema.Struct({
  type: Schema.Literal("answer"),
  parts: Schema.Array(Part),
  toolCalls: Schema.Array(ToolCall)
})

/** A call was about to be executed: from here on it may have had an effect. */
const Begun = Schema.Struct({ type: Schema.Literal("begun"), toolCallId: Schema.String })

/** What the model reads of a call. */
const Result = Schema.Struct({
  type: Schema.Literal("result"),
  toolCallId: Schema.String,
  text: Schema.String,
  failed: Schema.Boolean
})

/** The agent itself said something in the model's place (LOOP-2). */
const Remark = Schema.Struct({ type: Schema.Literal("remark"), text: Schema.String })

/** The model refused: the last prompt, and all after it, is no part of the conversation (TURN-4). */
const Refused = Schema.Struct({ type: Schema.Literal("refused") })

/** A command the agent answered itself: part of what the client is told again, and not of what the model reads (OWN-4). */
const Command = Schema.Struct({
  type: Schema.Literal("command"),
  content: Schema.Array(PromptBlock),
  answer: Schema.String
})

/** The session's name for people. */
const Title = Schema.Struct({ type: Schema.Literal("title"), title: Schema.String })

export const SessionEntry = Schema.Union([Title, Prompt, Answer, Begun, Result, Remark, Command, Refused])
export type SessionEntry = typeof SessionEntry.Type

const isEntry = Schema.is(SessionEntry)

/** Deeper than any entry of ours: what is nested like that could not be sent. */
const MAX_LEVELS = 1_100

/** The entry a value is, keys nobody knows included; `undefined` for anything else. */
export const decode = (value: unknown): SessionEntry | undefined =>
  !Json.isDeeperThan(value, MAX_LEVELS) && isEntry(value) ? value : undefined

/** The session's title among its entries; `undefined` until its first prompt. */
export const titleAmong = (entries: ReadonlyArray<SessionEntry>): string | undefined =>
  entries.findLast((entry) => entry.type === "title")?.title
