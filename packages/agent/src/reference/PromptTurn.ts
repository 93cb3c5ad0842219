/**
 * One prompt turn: the model is asked, its words are streamed to the client, its tool calls are run and their results
 * given back, until it has no more to ask. Run by AgentApp in a fiber of its own; interrupting that fiber cancels the turn.
 */
import type { SessionUpdate, StopReason } from "@agentclientprotocol/sdk"
import { Wording } from "@acp-client-tools/protocol"
import { Effect, Stream } from "effect"
import type { ConnectionClosed } from "../Host.ts"
import * as SameChunk from "../SameChunk.ts"
import type { Tool } from "../Tool.ts"
import * as ToolCall from "../ToolCall.ts"
import type { History } from "./History.ts"
import { type FinishReason, type Model, type ModelEvent, ModelFailed } from "./Model.ts"

/** What a turn knows of its session. */
export interface Context extends ToolCall.Context {
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

/** What a turn can fail with. */
export type Failed = ModelFailed | ConnectionClosed

interface Answer {
  readonly text: string
  readonly requested: ReadonlyArray<ToolCall.Requested>
  readonly finish: FinishReason
}

/** Asks the model once. What it said until it was interrupted or failed stays in the history. */
const ask = Effect.fnUntraced(function* (context: Context) {
  const requested: Array<ToolCall.Requested> = []
  let text = ""
  let finish: FinishReason | undefined

  const report = (update: SessionUpdate) => context.host.report?.(context.sessionId, update) ?? Effect.void
  const hear = (event: ModelEvent): Effect.Effect<void> => {
    switch (event.type) {
      case "text":
        text += event.text
        return report({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: event.text } })
      case "thought":
        return report({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: event.text } })
      case "toolCall":
        requested.push({ toolCallId: context.uniqueToolCallId(event.id), name: event.name, arguments: event.arguments })
        return Effect.void
      case "finish":
        finish = event.reason
        return Effect.void
    }
  }

  yield* context.model
    .answer({
      systemPrompt: context.systemPrompt,
      messages: context.history.messages(),
      tools: [...context.tools.values()].map((tool) => tool.declaration),
      index: context.nextModelRequest()
    })
    .pipe(
      Stream.runForEach(hear),
      Effect.andThen(
        Effect.suspend(() =>
          finish === undefined ? Effect.fail(new ModelFailed({ message: Wording.modelCutShort })) : Effect.void
        )
      ),
      Effect.onError(() =>
        Effect.suspend(() =>
          text === "" ? Effect.void : context.history.append({ role: "assistant", text, toolCalls: [] })
        )
      )
    )
  return { text, requested, finish: finish ?? "stop" } satisfies Answer
})

/** Runs the calls of an answer. The history gets the answer and, whatever ends them, the result of every call (TURN-3). */
const runCalls = Effect.fnUntraced(function* (context: Context, answer: Answer) {
  const calls = answer.requested.map((requested) =>
    ToolCall.make(context.tools.get(requested.name), requested, context)
  )
  yield* context.history.append({
    role: "assistant",
    text: answer.text,
    toolCalls: calls.map((call) => ({
      id: call.requested.toolCallId,
      name: call.requested.name,
      arguments: call.arguments ?? {}
    }))
  })
  yield* ToolCall.runAll(calls, (results) =>
    context.history.append({
      role: "tool",
      results: results.map((result, index) => {
        const requested = calls[index]?.requested
        return { id: requested?.toolCallId ?? "", name: requested?.name ?? "", ...result }
      })
    })
  )
})

/** One model request and what follows from it; the turn's stop reason, or `undefined` when it goes on. */
const step = (context: Context): Effect.Effect<StopReason | undefined, Failed> =>
  // From the model's last word on nothing may come between an answer and its place in the history.
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const answer = yield* restore(ask(context))
      if (answer.finish === "refusal") return "refusal"
      if (answer.finish === "length" || answer.requested.length === 0) {
        yield* context.history.append({ role: "assistant", text: answer.text, toolCalls: [] })
        return answer.finish === "length" ? "max_tokens" : "end_turn"
      }
      yield* runCalls(context, answer)
      return undefined
    })
  )

/**
 * The turn of one prompt, to its stop reason (TURN-4). Fails when the model does; the session stays usable either way. A
 * refused prompt, and all that came of it, leaves the history.
 */
export const run = Effect.fnUntraced(function* (
  context: Context,
  prompt: string
): Effect.fn.Return<StopReason, Failed> {
  const before = context.history.messages().length
  yield* context.history.append({ role: "user", text: prompt })
  // A cancel in the same write as the prompt ends the turn before the model is asked.
  yield* SameChunk.handled
  for (let request = 0; request < context.maxTurnRequests; request++) {
    const stopReason = yield* step(context)
    if (stopReason === "refusal") yield* context.history.keep(before)
    if (stopReason !== undefined) return stopReason
  }
  return "max_turn_requests"
})
