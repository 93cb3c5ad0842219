/**
 * What was said in a session: its entries, and the two views of them, the model provider's and the client's. Both are valid
 * at every moment: each tool call has exactly one result, in order, whatever ended it (TURN-3). Written by PromptTurn,
 * read by models and by a load.
 */
import type { SessionUpdate } from "@agentclientprotocol/sdk"
import { CallOutcome, Json, type JsonObject } from "@acp-client-tools/protocol"
import { Effect, Semaphore } from "effect"
import type * as Call from "../ToolCall.ts"
import * as ToolCallReport from "../ToolCallReport.ts"
import * as PromptContent from "./PromptContent.ts"
import { type PromptBlock, type SessionEntry, titleAmong, type ToolCall } from "./SessionEntry.ts"
import type { SessionLog, StoreFailed } from "./SessionStore.ts"

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
  /** Adds an entry. It is in the views at once, whether or not it can be kept; what cannot is tried again with the next. */
  readonly append: (entry: SessionEntry) => Effect.Effect<void>
  /** Fails when there are entries that could not be kept. */
  readonly kept: Effect.Effect<void, StoreFailed>
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

const callPart = ({ name, rawInput, toolCallId }: ToolCall): ToolCallPart => ({
  id: toolCallId,
  name,
  arguments: Json.isObject(rawInput) ? rawInput : {}
})

/** Providers refuse messages with nothing in them. */
const textMessage = (role: "user" | "assistant", text: string): ReadonlyArray<Message> => {
  if (text === "") return []
  return role === "user" ? [{ role, text }] : [{ role, text, toolCalls: [] }]
}

const textOf = (chunk: "agent_message_chunk" | "agent_thought_chunk", text: string) =>
  ({ sessionUpdate: chunk, content: { type: "text", text } }) as const

const promptUpdates = ({ content }: { readonly content: ReadonlyArray<PromptBlock> }): ReadonlyArray<SessionUpdate> =>
  content.map((block) => ({ sessionUpdate: "user_message_chunk", content: block }))

/** The history of a session that has these entries, and keeps further ones in a log. */
export const make = (log: SessionLog, past: ReadonlyArray<SessionEntry> = []): History => {
  const entries: Array<SessionEntry> = []
  const calls = new Map<string, Progress>()
  const unkept: Array<SessionEntry> = []
  const keeping = Semaphore.makeUnsafe(1)
  let answers = 0
  let fault: StoreFailed | undefined

  const isNewCall = (toolCallId: string): boolean => {
    if (calls.has(toolCallId)) return false
    calls.set(toolCallId, { isBegun: false, result: undefined })
    return true
  }

  const apply = (entry: SessionEntry): void => {
    switch (entry.type) {
      case "refused": {
        const prompt = entries.findLastIndex(({ type }) => type === "prompt")
        if (prompt >= 0) entries.length = prompt
        return
      }
      case "begun": {
        const call = calls.get(entry.toolCallId)
        if (call !== undefined) call.isBegun = true
        return
      }
      case "result": {
        const call = calls.get(entry.toolCallId)
        if (call !== undefined) call.result ??= { text: entry.text, failed: entry.failed }
        return
      }
      case "answer":
        answers++
        // A call that is there already was written twice: no provider takes two of one id.
        entries.push({ ...entry, toolCalls: entry.toolCalls.filter(({ toolCallId }) => isNewCall(toolCallId)) })
        return
      default:
        entries.push(entry)
    }
  }
  past.forEach(apply)

  /** Keeps what is not kept yet, which another call may have done by the time it is this one's turn. */
  const keepAll: Effect.Effect<void> = Effect.suspend(() => {
    const all = [...unkept]
    if (all.length === 0) return Effect.void
    return Effect.match(log.append(all), {
      onSuccess: () => {
        unkept.splice(0, all.length)
        fault = undefined
      },
      onFailure: (failed) => {
        fault = failed
      }
    })
  })

  /** What the model reads of a call: its result, or that it has none (TURN-3). */
  const resultOf = (toolCallId: string): Call.Result => {
    const call = calls.get(toolCallId)
    return call?.result ?? CallOutcome.toText({ kind: call?.isBegun === true ? "cancelled" : "notStarted" })
  }

  const resultPart = ({ name, toolCallId }: ToolCall): ToolResultPart => ({
    id: toolCallId,
    name,
    ...resultOf(toolCallId)
  })
  const messagesOf = (entry: SessionEntry): ReadonlyArray<Message> => {
    switch (entry.type) {
      case "prompt":
        return textMessage("user", PromptContent.toText(entry.content))
      case "answer": {
        const { parts, toolCalls } = entry
        const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("")
        if (toolCalls.length === 0) return textMessage("assistant", text)
        return [
          { role: "assistant", text, toolCalls: toolCalls.map(callPart) },
          { role: "tool", results: toolCalls.map(resultPart) }
        ]
      }
      case "remark":
        return textMessage("assistant", entry.text)
      default:
        return []
    }
  }

  const callUpdates = ({ kind, rawInput, title, toolCallId }: ToolCall): ReadonlyArray<SessionUpdate> => [
    ToolCallReport.announced({ toolCallId, title, kind, ...(rawInput === undefined ? {} : { rawInput }) }),
    ToolCallReport.ended(toolCallId, resultOf(toolCallId))
  ]
  const updatesOf = (entry: SessionEntry): ReadonlyArray<SessionUpdate> => {
    switch (entry.type) {
      case "prompt":
        return promptUpdates(entry)
      case "command":
        return [...promptUpdates(entry), textOf("agent_message_chunk", entry.answer)]
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
        unkept.push(entry)
        return keeping.withPermit(keepAll)
      }).pipe(Effect.uninterruptible),
    kept: Effect.suspend(() => (fault === undefined ? Effect.void : Effect.fail(fault))),
    messages: () => entries.flatMap(messagesOf),
    updates: () => entries.flatMap(updatesOf),
    title: () => titleAmong(entries),
    answers: () => answers,
    hasToolCall: (toolCallId) => calls.has(toolCallId)
  }
}
