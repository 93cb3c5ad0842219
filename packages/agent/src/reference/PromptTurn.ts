/**
 * One prompt turn: the model is asked, its words are streamed to the client, its tool calls are run and their results
 * given back, until it has no more to ask. Run by Sessions in a fiber of its own; interrupting that fiber cancels the turn.
 */
import type { StopReason } from "@agentclientprotocol/sdk"
import { Wording } from "@acp-client-tools/protocol"
import { Clock, Effect, Stream } from "effect"
import * as Host from "../Host.ts"
import type { LoopDetector } from "../LoopDetector.ts"
import * as SameChunk from "../SameChunk.ts"
import * as ToolCall from "../ToolCall.ts"
import type { History } from "./History.ts"
import { type FinishReason, type Model, type ModelEvent, ModelFailed } from "./Model.ts"
import * as PromptContent from "./PromptContent.ts"
import type { Part, PromptBlock } from "./SessionEntry.ts"
import type { StoreFailed } from "./SessionStore.ts"
import type { Contents } from "./Toolbox.ts"

/** What a turn knows of its session. */
export interface Context extends ToolCall.Context {
  readonly model: Model
  readonly systemPrompt: string | undefined
  readonly history: History
  /** The tools there are when it is asked. */
  readonly contents: () => Contents
  /** Model requests a turn may make (TURN-4). */
  readonly maxTurnRequests: number
  readonly newLoopDetector: () => LoopDetector
}

/** What a turn can fail with. */
export type Failed = ModelFailed | Host.ConnectionClosed | StoreFailed

/** A turn that runs: its session, and what counts for this turn alone. */
interface Turn extends Context {
  readonly loop: LoopDetector
}

interface Answer {
  readonly parts: ReadonlyArray<Part>
  readonly requested: ReadonlyArray<ToolCall.Requested>
  readonly finish: FinishReason
}

/** Reports a piece of what the model says, or the agent in its place. */
const say = (turn: Turn, { text, type }: Part): Effect.Effect<void> =>
  Host.report(turn.host, turn.sessionId, {
    sessionUpdate: type === "text" ? "agent_message_chunk" : "agent_thought_chunk",
    content: { type: "text", text }
  })

const add = (parts: Array<Part>, { text, type }: Part): void => {
  const last = parts.at(-1)
  if (last?.type === type) parts[parts.length - 1] = { type, text: last.text + text }
  else parts.push({ type, text })
}

/** Asks the model once. What it said until it was interrupted or failed stays in the history. */
const ask = Effect.fnUntraced(function* (turn: Turn) {
  const requested: Array<ToolCall.Requested> = []
  const parts: Array<Part> = []
  let finish: FinishReason | undefined

  const hear = (event: ModelEvent): Effect.Effect<void> => {
    switch (event.type) {
      case "text":
      case "thought":
        add(parts, event)
        return say(turn, event)
      case "toolCall":
        requested.push({ toolCallId: event.id, name: event.name, arguments: event.arguments })
        return Effect.void
      case "finish":
        finish = event.reason
        return Effect.void
    }
  }

  yield* turn.model
    .answer({
      systemPrompt: turn.systemPrompt,
      messages: turn.history.messages(),
      tools: [...turn.contents().tools.values()].map((tool) => tool.declaration),
      index: turn.history.answers()
    })
    .pipe(
      Stream.runForEach(hear),
      Effect.andThen(
        Effect.suspend(() =>
          finish === undefined ? Effect.fail(new ModelFailed({ message: Wording.modelCutShort })) : Effect.void
        )
      ),
      Effect.onError(() => Effect.suspend(() => turn.history.append({ type: "answer", parts, toolCalls: [] })))
    )
  return { parts, requested, finish: finish ?? "stop" } satisfies Answer
})

/** The calls of an answer with ids that are new in the session: the model's own where they are (REPORT-1, CALL-6). */
const withNewIds = (
  requested: ReadonlyArray<ToolCall.Requested>,
  { hasToolCall }: History
): ReadonlyArray<ToolCall.Requested> => {
  const taken = new Set<string>()
  return requested.map((call) => {
    const wished = call.toolCallId
    let toolCallId = wished
    for (let n = 2; toolCallId === "" || taken.has(toolCallId) || hasToolCall(toolCallId); n++) {
      toolCallId = `${wished === "" ? "call" : wished}_${n}`
    }
    taken.add(toolCallId)
    return { ...call, toolCallId }
  })
}

/** Runs the calls of an answer; whatever ends them, the history has the answer, and the result of every call (TURN-3). */
const runCalls = Effect.fnUntraced(function* (turn: Turn, { parts, requested }: Answer) {
  const { tools } = turn.contents()
  const calls = withNewIds(requested, turn.history).map((call) => ToolCall.make(tools.get(call.name), call, turn))
  const toolCalls = calls.map(({ name, shown }) => ({ name, ...shown }))
  yield* turn.history.append({ type: "answer", parts, toolCalls })
  yield* ToolCall.runAll(calls)
})

/** One model request and what follows from it; the turn's stop reason, or `undefined` when it goes on. */
const step = (turn: Turn): Effect.Effect<StopReason | undefined, Failed> =>
  // From the model's last word on nothing may come between an answer and its place in the history.
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const answer = yield* restore(ask(turn))
      if (answer.finish === "stop" && answer.requested.length > 0) {
        yield* runCalls(turn, answer)
        const verdict = turn.loop.verdict()
        if (verdict === undefined) return undefined
        yield* turn.history.append({ type: "remark", text: verdict })
        yield* say(turn, { type: "text", text: verdict })
        return "max_turn_requests"
      }
      // Calls of an answer that was cut off or filtered are not run.
      yield* turn.history.append({ type: "answer", parts: answer.parts, toolCalls: [] })
      if (answer.finish === "length") return "max_tokens"
      if (answer.finish === "stop") return "end_turn"
      yield* turn.history.append({ type: "refused" })
      return "refusal"
    })
  )

const journalOf = (history: History): ToolCall.Journal => ({
  begun: (toolCallId) => history.append({ type: "begun", toolCallId }),
  ended: (toolCallId, result) => history.append({ type: "result", toolCallId, ...result })
})

/** The session's title, from its first prompt that has words; `undefined` when that came before. */
const newTitle = (history: History, content: ReadonlyArray<PromptBlock>): string | undefined => {
  const before = history.title()
  if (before !== undefined && before !== Wording.untitled) return undefined
  const title = PromptContent.toTitle(content)
  return title === before ? undefined : title
}

const reportTitle = Effect.fnUntraced(function* (turn: Turn, title: string) {
  const updatedAt = new Date(yield* Clock.currentTimeMillis).toISOString()
  yield* Host.report(turn.host, turn.sessionId, { sessionUpdate: "session_info_update", title, updatedAt })
})

/**
 * The turn of one prompt, to its stop reason (TURN-4). Fails when the model does, or when what was said cannot be kept; the
 * session stays usable either way.
 */
export const run = Effect.fnUntraced(function* (
  context: Context,
  content: ReadonlyArray<PromptBlock>
): Effect.fn.Return<StopReason, Failed> {
  const { history, maxTurnRequests } = context
  const turn: Turn = { ...context, loop: context.newLoopDetector(), journal: journalOf(history) }
  const title = newTitle(history, content)
  if (title !== undefined) yield* history.append({ type: "title", title })
  yield* history.append({ type: "prompt", content })
  // A cancel in the same write as the prompt ends the turn before anything is said.
  yield* SameChunk.handled
  if (title !== undefined) yield* reportTitle(turn, title)
  let stopReason: StopReason | undefined
  for (let request = 0; request < maxTurnRequests && stopReason === undefined; request++) {
    yield* history.kept
    stopReason = yield* step(turn)
  }
  yield* history.kept
  return stopReason ?? "max_turn_requests"
})
