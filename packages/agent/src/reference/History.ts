/**
 * What was said in a session, as a model provider wants it: valid at every moment a model request can see it, so that
 * each tool call has exactly one result, in order (TURN-3). Written by PromptTurn, read by models.
 */
import type { JsonObject } from "@acp-client-tools/protocol"
import { Effect } from "effect"

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

export type Message =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly toolCalls: ReadonlyArray<ToolCallPart> }
  | { readonly role: "tool"; readonly results: ReadonlyArray<ToolResultPart> }

export interface History {
  readonly messages: () => ReadonlyArray<Message>
  readonly append: (message: Message) => Effect.Effect<void>
  /** Forgets every message but the first so many (TURN-4, refusal). */
  readonly keep: (length: number) => Effect.Effect<void>
}

/** An empty history in memory. */
export const make = (): History => {
  const messages: Array<Message> = []
  return {
    messages: () => messages,
    append: (message) =>
      Effect.sync(() => {
        messages.push(message)
      }),
    keep: (length) =>
      Effect.sync(() => {
        messages.length = length
      })
  }
}
