/**
 * Calls of tools, from the model's request to the text the model reads: required check, permission, execution, decode, loop
 * count, cut, report. Run by ClientTools.call for any agent, and by the reference agent's PromptTurn.
 */
import { CallArguments, CallOutcome, Cut, Identifiers, Thrown, Wording } from "@acp-client-tools/protocol"
import { Cause, Effect, Exit, Option } from "effect"
import * as Host from "./Host.ts"
import type { LoopDetector } from "./LoopDetector.ts"
import * as Permission from "./Permission.ts"
import * as SameChunk from "./SameChunk.ts"
import type { Answer, Tool } from "./Tool.ts"
import * as ToolCallReport from "./ToolCallReport.ts"

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
  readonly host: Host.Host
  /** What the user allows in the session; added to by calls (PERM-3). */
  readonly grants: Permission.Grants
  /** Code points the model reads of one result at most (CUT-1). */
  readonly maxOutput: number
  /** Counts the turn's results (LOOP-1). Without it nothing is counted. */
  readonly loop?: LoopDetector | undefined
  readonly journal?: Journal
}

/** One call, not begun yet; `runAll` runs it. */
export interface ToolCall {
  /** The name the model used. */
  readonly name: string
  readonly shown: ToolCallReport.Shown
  /** Reports the call as `pending`. */
  readonly announce: Effect.Effect<void>
  /** Runs the call to its terminal update. */
  readonly run: Effect.Effect<void, Host.ConnectionClosed>
  /**
   * What the model reads. A call that has not ended by now ends here: as `cancelled` when its execution had begun, else as
   * `not started` (TURN-3). `isReported`: with that terminal update, unless nobody is left to read it (ERR-4).
   */
  readonly end: (isReported: boolean) => Effect.Effect<Result>
}

/** A fault of the tool itself is the failure of its call, and of nothing else. */
const brokenTool = (defect: unknown): Effect.Effect<Answer> => {
  const why = Thrown.text(defect)
  return Effect.succeed({ kind: "error", error: { code: Identifiers.INTERNAL_ERROR, message: Wording.toolBroke(why) } })
}

/** A call of `tool`, which is `undefined` when the session has none of that name. */
export const make = (tool: Tool | undefined, requested: Requested, context: Context): ToolCall => {
  const { sessionId, host } = context
  const { name, toolCallId } = requested
  const { arguments: args, rawInput } = CallArguments.decode(requested.arguments)
  const shown: ToolCallReport.Shown = {
    toolCallId,
    title: (args === undefined ? undefined : tool?.titleOf?.(args)) ?? tool?.title ?? name,
    kind: tool?.kind ?? "other",
    ...(rawInput === undefined ? {} : { rawInput })
  }
  let isExecuting = false
  let result: Result | undefined

  // Uninterruptible: an end that is noted has been kept and reported.
  const finish = (text: string, failed: boolean, isReported: boolean): Effect.Effect<Result> =>
    Effect.gen(function* () {
      const ended: Result = { text: Cut.cut(text, context.maxOutput), failed }
      result = ended
      if (context.journal !== undefined) yield* context.journal.ended(toolCallId, ended)
      if (isReported) yield* Host.report(host, sessionId, ToolCallReport.ended(toolCallId, ended))
      return ended
    }).pipe(Effect.uninterruptible)

  // Counted with its full text, before the cut (LOOP-1). Arguments that cannot be used are compared as they came.
  const finishCounted = (outcome: CallOutcome.CallOutcome): Effect.Effect<Result> =>
    Effect.suspend(() => {
      const { text, failed } = CallOutcome.toText(outcome)
      const note = context.loop?.count({ name, arguments: args ?? requested.arguments }, text) ?? ""
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
    const question = { sessionId, toolCall: ToolCallReport.pending(shown), options: offered }
    const decision = yield* host.askPermission(question).pipe(
      Effect.map((answer) => Permission.decide(offered, answer)),
      Effect.catchTag("RequestRejected", () => Effect.succeed("reject" as const)),
      // A cancel that came before this answer ends the call here.
      Effect.tap(SameChunk.handled)
    )
    if (decision === "allowAlways") context.grants.always.add(asking.permissionKey)
    return decision !== "reject"
  })

  const execute = Effect.fnUntraced(function* (): Effect.fn.Return<CallOutcome.CallOutcome, Host.ConnectionClosed> {
    if (tool === undefined) return { kind: "unknownTool", name }
    if (args === undefined) return { kind: "badArguments" }
    const names = CallArguments.missing(args, tool.requiredParameters)
    if (names.length > 0) return { kind: "missing", names }
    if (!(yield* isAllowed(tool))) return { kind: "rejected", modelName: tool.declaration.name }
    isExecuting = true
    if (context.journal !== undefined) yield* context.journal.begun(toolCallId)
    yield* Host.report(host, sessionId, ToolCallReport.inProgress(toolCallId))
    const answer = yield* Effect.suspend(() => tool.execute(args, sessionId)).pipe(
      Effect.catchDefect(brokenTool),
      Effect.timeoutOption(tool.timeout.milliseconds)
    )
    return Option.getOrElse(answer, () => ({ kind: "timeout", timeout: tool.timeout.text }))
  })

  return {
    name,
    shown,
    announce: Host.report(host, sessionId, ToolCallReport.announced(shown)),
    run: Effect.suspend(execute).pipe(Effect.flatMap(finishCounted), Effect.asVoid),
    end: (isReported) =>
      Effect.suspend(() => (result === undefined ? finishUnanswered(isReported) : Effect.succeed(result)))
  }
}

const isConnectionLost = (exit: Exit.Exit<void, Host.ConnectionClosed>): boolean =>
  Exit.isFailure(exit) && Cause.hasFails(exit.cause)

/**
 * Announces the calls in their order and runs them at once (CALL-6). However that ends, each call then has exactly one
 * result (TURN-3). Interruption cancels what is running at the client.
 */
export const runAll = (calls: ReadonlyArray<ToolCall>): Effect.Effect<void, Host.ConnectionClosed> =>
  Effect.gen(function* () {
    yield* Effect.forEach(calls, (call) => call.announce, { discard: true })
    const running = Effect.forEach(calls, (call) => call.run, { concurrency: "unbounded", discard: true })
    // Not `restore`: a caller that must not be cut off before or after is still to be cancelled in here.
    const exit = yield* Effect.exit(Effect.interruptible(running))
    yield* Effect.forEach(calls, (call) => call.end(!isConnectionLost(exit)), { discard: true })
    return yield* exit
  }).pipe(Effect.uninterruptible)
