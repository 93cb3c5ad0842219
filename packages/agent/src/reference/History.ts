/**
 * What was said in a session: its entries, and the two views of them, the model provider's and the client's. Both are valid
 * at every moment: each tool call has exactly one result, in order, whatever ended it (TURN-3). Written by PromptTurn,
 * read by models and by a load.
 */
import type { SessionUpdate } from "@agentclientprotocol/sdk"
import { CallOutcome, Json, type JsonObject } from "@acp-client-tools/protocol"
import { Effect } from "effect"
import type * as Call from "../ToolCall.ts"
import * as PromptContent from "./PromptContent.ts"
import type { SessionEntry, ToolCall } from "./SessionEntry.ts"
import { type SessionLog, type StoreFault, titleOf } from "./SessionStore.ts"

export interface ToolCallPart {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
}

export interface ToolResultPart {
  readonly id: string
  readonly name: string
  readonly text: string
  readonly failed: boolean
}

/** A message as a model provider wants it. */
export type Message =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly toolCalls: ReadonlyArray<ToolCallPart> }
  | { readonly role: "tool"; readonly results: ReadonlyArray<ToolResultPart> }

export interface History {
  /** Adds an entry. It is in the views at once, whether or not it can be kept; `kept` tells. */
  readonly append: (entry: SessionEntry) => Effect.Effect<void>
  /** Fails when the last entry could not be kept. */
  readonly kept: Effect.Effect<void, StoreFault>
  /** The model provider's view. */
  readonly messages: () => ReadonlyArray<Message>
  /** The client's view: the updates that tell the whole conversation again (SESS-2). */
  readonly updates: () => ReadonlyArray<SessionUpdate>
  /** `undefined` until the first prompt. */
  readonly title: () => string | undefined
  /** How many answers the model gave, those that were refused later included. */
  readonly answers: () => number
  /** The ids of all tool calls there ever were in the session. */
  readonly hasToolCall: (toolCallId: string) => boolean
}

/** How a call stands: what `begun` and `result` entries said of it. */
interface Progress {
  isBegun: boolean
  result: Call.Result | undefined
}

/** What the model reads of a call: its result, or that it has none (TURN-3). */
const resultOf = ({ isBegun, result }: Progress): Call.Result =>
  result ?? CallOutcome.toText({ kind: isBegun ? "cancelled" : "notStarted" })

const callPart = ({ name, rawInput, toolCallId }: ToolCall): ToolCallPart => ({
  id: toolCallId,
  name,
  arguments: Json.isObject(rawInput) ? rawInput : {}
})

const textOf = (chunk: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk", text: string) =>
  ({ sessionUpdate: chunk, content: { type: "text", text } }) as const

/** The history of a session that has these entries, and keeps further ones in a log. */
export const make = (log: SessionLog, past: ReadonlyArray<SessionEntry> = []): History => {
  const entries: Array<SessionEntry> = []
  const calls = new Map<string, Progress>()
  let answers = 0
  let fault: StoreFault | undefined

  const progressOf = (toolCallId: string): Progress => {
    const known = calls.get(toolCallId)
    if (known !== undefined) return known
    const progress: Progress = { isBegun: false, result: undefined }
    calls.set(toolCallId, progress)
    return progress
  }

  const apply = (entry: SessionEntry): void => {
    switch (entry.type) {
      case "refused": {
        const prompt = entries.findLastIndex(({ type }) => type === "prompt")
        if (prompt >= 0) entries.length = prompt
        return
      }
      case "begun":
        progressOf(entry.toolCallId).isBegun = true
        return
      case "result":
        progressOf(entry.toolCallId).result ??= { text: entry.text, failed: entry.failed }
        return
      case "answer":
        answers++
        entry.toolCalls.forEach(({ toolCallId }) => progressOf(toolCallId))
        entries.push(entry)
        return
      default:
        entries.push(entry)
    }
  }
  past.forEach(apply)

  const resultPart = ({ name, toolCallId }: ToolCall): ToolResultPart => ({
    id: toolCallId,
    name,
    ...resultOf(progressOf(toolCallId))
  })
  const messagesOf = (entry: SessionEntry): ReadonlyArray<Message> => {
    switch (entry.type) {
      case "prompt":
        return [{ role: "user", text: PromptContent.toText(entry.content) }]
      case "answer": {
        const { parts, toolCalls } = entry
        const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("")
        // Providers refuse an assistant message with nothing in it, and one of results without a call.
        if (toolCalls.length === 0) return text === "" ? [] : [{ role: "assistant", text, toolCalls: [] }]
        return [
          { role: "assistant", text, toolCalls: toolCalls.map(callPart) },
          { role: "tool", results: toolCalls.map(resultPart) }
        ]
      }
      case "remark":
        return [{ role: "assistant", text: entry.text, toolCalls: [] }]
      default:
        return []
    }
  }

  const callUpdates = ({ kind, rawInput, title, toolCallId }: ToolCall): ReadonlyArray<SessionUpdate> => {
    const { failed, text } = resultOf(progressOf(toolCallId))
    const shown = { toolCallId, title, kind, ...(rawInput === undefined ? {} : { rawInput }) }
    return [
      { sessionUpdate: "tool_call", ...shown, status: "pending" },
      {
        sessionUpdate: "tool_call_update",
        toolCallId,
        status: failed ? "failed" : "completed",
        content: [{ type: "content", content: { type: "text", text } }]
      }
    ]
  }
  const updatesOf = (entry: SessionEntry): ReadonlyArray<SessionUpdate> => {
    switch (entry.type) {
      case "prompt":
        return entry.content.map((content) => ({ sessionUpdate: "user_message_chunk", content }))
      case "answer":
        return [
          ...entry.parts.map(({ text, type }) =>
            textOf(type === "text" ? "agent_message_chunk" : "agent_thought_chunk", text)
          ),
          ...entry.toolCalls.flatMap(callUpdates)
        ]
      case "remark":
        return [textOf("agent_message_chunk", entry.text)]
      default:
        return []
    }
  }

  return {
    append: (entry) =>
      Effect.suspend(() => {
        apply(entry)
        return Effect.match(log.append(entry), {
          onSuccess: () => (fault = undefined),
          onFailure: (failed) => (fault = failed)
        })
      }),
    kept: Effect.suspend(() => (fault === undefined ? Effect.void : Effect.fail(fault))),
    messages: () => entries.flatMap(messagesOf),
    updates: () => entries.flatMap(updatesOf),
    title: () => titleOf(entries).title,
    answers: () => answers,
    hasToolCall: (toolCallId) => calls.has(toolCallId)
  }
}
