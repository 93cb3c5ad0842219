/**
 * One prompt turn: the model is asked, its words are streamed to the client, its tool calls are run and their results
 * given back, until it has no more to ask. Run by AgentApp in a fiber of its own; interrupting that fiber cancels the turn.
 */
import type { SessionUpdate, StopReason } from "@agentclientprotocol/sdk"
import { CallArguments, Wording } from "@acp-client-tools/protocol"
import { Effect, Stream } from "effect"
import type { ConnectionClosed } from "../Host.ts"
import * as SameChunk from "../SameChunk.ts"
import type { Tool } from "../Tool.ts"
import * as ToolCall from "../ToolCall.ts"
import type { History } from "./History.ts"
import { type FinishReason, type Model, type ModelEvent, ModelFailed } from "./Model.ts"

/** What a turn knows of its session. */
export interface Place extends ToolCall.Place {
  readonly model: Model
  readonly systemPrompt: string | undefined
  readonly history: History
  readonly tools: ReadonlyMap<string, Tool>
  /** Model requests a turn may make (TURN-4). */
  readonly maxTurnRequests: number
  /** Gives each model request of the session its number, from 0. */
  readonly nextModelRequest: () => number
  /** A tool-call id unique in the session: the model's own where that is new (REPORT-1, CALL-6). */
  readonly uniqueToolCallId: (wished: string) => string
}

/** How a turn ends of its own, and what it can fail with. */
export type Ended = StopReason
export type Failed = ModelFailed | ConnectionClosed

interface Answer {
  readonly text: string
  readonly wishes: ReadonlyArray<ToolCall.Wish>
  readonly finish: FinishReason
}

/** Asks the model once. What it said until it was interrupted or failed stays in the history. */
const ask = Effect.fnUntraced(function* (place: Place) {
  const wishes: Array<ToolCall.Wish> = []
  let text = ""
  let finish: FinishReason | undefined

  const report = (update: SessionUpdate) => place.host.report?.(place.sessionId, update) ?? Effect.void
  const hear = (event: ModelEvent): Effect.Effect<void> => {
    switch (event.type) {
      case "text":
        text += event.text
        return report({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: event.text } })
      case "thought":
        return report({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: event.text } })
      case "toolCall":
        wishes.push({ toolCallId: place.uniqueToolCallId(event.id), name: event.name, arguments: event.arguments })
        return Effect.void
      case "finish":
        finish = event.reason
        return Effect.void
    }
  }

  yield* place.model
    .answer({
      systemPrompt: place.systemPrompt,
      messages: place.history.messages(),
      tools: [...place.tools.values()].map((tool) => tool.declaration),
      index: place.nextModelRequest()
    })
    .pipe(
      Stream.runForEach(hear),
      Effect.andThen(
        Effect.suspend(() =>
          finish === undefined ? Effect.fail(new ModelFailed({ message: Wording.modelCutShort })) : Effect.void
        )
      ),
      Effect.onError(() =>
        Effect.sync(() => {
          if (text !== "") place.history.append({ role: "assistant", text, toolCalls: [] })
        })
      )
    )
  return { text, wishes, finish: finish ?? "stop" } satisfies Answer
})

/** Runs the calls of one answer at once and writes all their results down, whatever ends them (CALL-6, TURN-3). */
const runCalls = (place: Place, answer: Answer): Effect.Effect<void, ConnectionClosed> => {
  const calls = answer.wishes.map((wish) => ({
    wish,
    call: ToolCall.make(place.tools.get(wish.name), wish, place)
  }))
  const announce = Effect.suspend(() => {
    place.history.append({
      role: "assistant",
      text: answer.text,
      toolCalls: answer.wishes.map((wish) => ({
        id: wish.toolCallId,
        name: wish.name,
        arguments: CallArguments.decode(wish.arguments).arguments ?? {}
      }))
    })
    return Effect.forEach(calls, ({ call }) => call.announce, { discard: true })
  })
  const run = Effect.forEach(calls, ({ call }) => call.run, { concurrency: "unbounded", discard: true })
  const record = Effect.forEach(calls, ({ call, wish }) =>
    Effect.map(call.end, (ended) => ({ id: wish.toolCallId, name: wish.name, ...ended }))
  ).pipe(Effect.map((results) => place.history.append({ role: "tool", results })))
  return Effect.uninterruptibleMask((restore) =>
    announce.pipe(Effect.andThen(restore(run).pipe(Effect.ensuring(record))))
  )
}

/**
 * The turn of one prompt, to its stop reason (TURN-4). Fails when the model does; the session stays usable either way. A
 * refused prompt, and all that came of it, leaves the history.
 */
export const run = Effect.fnUntraced(function* (place: Place, prompt: string): Effect.fn.Return<Ended, Failed> {
  const before = place.history.messages().length
  place.history.append({ role: "user", text: prompt })
  // A cancel in the same write as the prompt ends the turn before the model is asked.
  yield* SameChunk.handled
  for (let request = 0; request < place.maxTurnRequests; request++) {
    const answer = yield* ask(place)
    if (answer.finish === "refusal") {
      place.history.dropFrom(before)
      return "refusal"
    }
    if (answer.finish === "length" || answer.wishes.length === 0) {
      place.history.append({ role: "assistant", text: answer.text, toolCalls: [] })
      return answer.finish === "length" ? "max_tokens" : "end_turn"
    }
    yield* runCalls(place, answer)
  }
  return "max_turn_requests"
})
