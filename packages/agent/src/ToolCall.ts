/**
 * Calls of tools, from the model's request to the text the model reads: required check, permission, execution, decode, loop
 * count, cut, report. Run by ClientTools.call for any agent, and by the reference agent's PromptTurn.
 */
import type { SessionUpdate, ToolCallUpdate, ToolKind } from "@agentclientprotocol/sdk"
import { CallArguments, CallOutcome, Cut } from "@acp-client-tools/protocol"
import { Cause, Effect, Exit, Option } from "effect"
import type { ConnectionClosed, Host } from "./Host.ts"
import type { LoopDetector } from "./LoopDetector.ts"
import * as Permission from "./Permission.ts"
import * as SameChunk from "./SameChunk.ts"
import type { Tool } from "./Tool.ts"

/** What the model asked for. */
export interface Requested {
  /** Unique in the session; names the call in every report. */
  readonly toolCallId: string
  /** The name the model used; the session may have no such tool (CALL-5). */
  readonly name: string
  /** The arguments as the model sent them: a value, or JSON text (CALL-4). */
  readonly arguments: unknown
}

/** What the model reads. */
export interface Result {
  readonly text: string
  readonly failed: boolean
}

/** Keeps what happened to a call. Hears of each step before the client does, so that what was seen has been kept. */
export interface Journal {
  /** The call is about to be executed. */
  readonly begun: (toolCallId: string) => Effect.Effect<void>
  readonly ended: (toolCallId: string, result: Result) => Effect.Effect<void>
}

/** Where calls happen: a session, and what belongs to one turn of it. */
export interface Context {
  readonly sessionId: string
  readonly host: Host
  /** What the user allows in the session; added to by calls (PERM-3). */
  readonly grants: Permission.Grants
  /** Code points the model reads of one result at most (CUT-1). */
  readonly maxOutput: number
  /** Counts the turn's results (LOOP-1). Without it nothing is counted. */
  readonly loop?: LoopDetector
  readonly journal?: Journal
}

/** A call as the client is shown it, from its announcement on (REPORT-1). */
export interface Shown {
  readonly toolCallId: string
  readonly title: string
  readonly kind: ToolKind
  /** The arguments as the model sent them; absent when they cannot be shown (CALL-4). */
  readonly rawInput?: unknown
}

/** One call, not begun yet; `runAll` runs it. */
export interface ToolCall {
  /** The name the model used. */
  readonly name: string
  readonly shown: Shown
  /** Reports the call as `pending`. */
  readonly announce: Effect.Effect<void>
  /** Runs the call to its terminal update. */
  readonly run: Effect.Effect<void, ConnectionClosed>
  /**
   * What the model reads. A call that has not ended by now ends here: as `cancelled` when its execution had begun, else as
   * `not started` (TURN-3). `isReported`: with that terminal update, unless nobody is left to read it (ERR-4).
   */
  readonly end: (isReported: boolean) => Effect.Effect<Result>
}

/** A call of `tool`, which is `undefined` when the session has none of that name. */
export const make = (tool: Tool | undefined, requested: Requested, context: Context): ToolCall => {
  const { sessionId, host } = context
  const { toolCallId } = requested
  const { arguments: args, rawInput } = CallArguments.decode(requested.arguments)
  const shown: Shown = {
    toolCallId,
    title: tool?.title ?? requested.name,
    kind: tool?.kind ?? "other",
    ...(rawInput === undefined ? {} : { rawInput })
  }
  const pending = { ...shown, status: "pending" as const }
  let isExecuting = false
  let result: Result | undefined

  const report = (update: SessionUpdate): Effect.Effect<void> => host.report?.(sessionId, update) ?? Effect.void
  const update = (change: Omit<ToolCallUpdate, "toolCallId">): Effect.Effect<void> =>
    report({ sessionUpdate: "tool_call_update", toolCallId, ...change })

  // Uninterruptible: an end that is noted has been reported.
  const finish = (text: string, failed: boolean, isReported: boolean): Effect.Effect<Result> =>
    Effect.suspend(() => {
      const ended: Result = { text: Cut.cut(text, context.maxOutput), failed }
      result = ended
      const terminal = update({
        status: failed ? "failed" : "completed",
        content: [{ type: "content", content: { type: "text", text: ended.text } }]
      })
      return (context.journal?.ended(toolCallId, ended) ?? Effect.void).pipe(
        Effect.andThen(isReported ? terminal : Effect.void),
        Effect.as(ended)
      )
    }).pipe(Effect.uninterruptible)

  // Counted with its full text, before the cut (LOOP-1).
  const finishCounted = (outcome: CallOutcome.CallOutcome): Effect.Effect<Result> =>
    Effect.suspend(() => {
      const { text, failed } = CallOutcome.toText(outcome)
      const note = context.loop?.count({ name: requested.name, arguments: rawInput }, text) ?? ""
      return finish(text + note, failed, true)
    })

  const finishUnanswered = (isReported: boolean): Effect.Effect<Result> => {
    const { text, failed } = CallOutcome.toText({ kind: isExecuting ? "cancelled" : "notStarted" })
    return finish(text, failed, isReported)
  }

  const isAllowed = Effect.fnUntraced(function* (asking: Tool) {
    if (!Permission.isAsked(asking, context.grants)) return true
    if (host.askPermission === undefined) return false
    const offered = Permission.options(asking.permissions)
    const decision = yield* host.askPermission({ sessionId, toolCall: pending, options: offered }).pipe(
      Effect.map((answer) => Permission.decide(offered, answer)),
      Effect.catchTag("RequestRejected", () => Effect.succeed("reject" as const)),
      // A cancel that came before this answer ends the call here.
      Effect.tap(SameChunk.handled)
    )
    if (decision === "allowAlways") context.grants.always.add(asking.permissionKey)
    return decision !== "reject"
  })

  const execute = Effect.fnUntraced(function* (): Effect.fn.Return<CallOutcome.CallOutcome, ConnectionClosed> {
    if (tool === undefined) return { kind: "unknownTool", name: requested.name }
    if (args === undefined) return { kind: "badArguments" }
    const names = CallArguments.missing(args, tool.requiredParameters)
    if (names.length > 0) return { kind: "missing", names }
    if (!(yield* isAllowed(tool))) return { kind: "rejected", modelName: tool.declaration.name }
    isExecuting = true
    yield* context.journal?.begun(toolCallId) ?? Effect.void
    yield* update({ status: "in_progress" })
    const answer = yield* tool.execute(args, sessionId).pipe(Effect.timeoutOption(tool.timeout.milliseconds))
    return Option.getOrElse(answer, () => ({ kind: "timeout", timeout: tool.timeout.text }))
  })

  return {
    name: requested.name,
    shown,
    announce: report({ sessionUpdate: "tool_call", ...pending }),
    run: Effect.suspend(execute).pipe(Effect.flatMap(finishCounted), Effect.asVoid),
    end: (isReported) =>
      Effect.suspend(() => (result === undefined ? finishUnanswered(isReported) : Effect.succeed(result)))
  }
}

/**
 * Announces the calls in their order and runs them at once (CALL-6). However that ends, each call then has exactly one
 * result (TURN-3). Interruption cancels what is running at the client.
 */
export const runAll = (calls: ReadonlyArray<ToolCall>): Effect.Effect<void, ConnectionClosed> =>
  Effect.gen(function* () {
    yield* Effect.forEach(calls, (call) => call.announce, { discard: true })
    const running = Effect.forEach(calls, (call) => call.run, { concurrency: "unbounded", discard: true })
    // Not `restore`: a caller that must not be cut off before or after is still to be cancelled in here.
    const exit = yield* Effect.exit(Effect.interruptible(running))
    const isLost = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
    yield* Effect.forEach(calls, (call) => call.end(!isLost), { discard: true })
    return yield* exit
  }).pipe(Effect.uninterruptible)
