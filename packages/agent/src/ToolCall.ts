/**
 * Calls of tools, from the model's request to the text the model reads: required check, permission, execution, decode, cut,
 * report. Run by ClientTools.call for any agent, and by the reference agent's PromptTurn.
 */
import type { SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk"
import { CallArguments, CallOutcome, Cut, type JsonObject } from "@acp-client-tools/protocol"
import { Cause, Effect, Exit, Option } from "effect"
import type { ConnectionClosed, Host } from "./Host.ts"
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

/** Where calls happen: one for each session. */
export interface Context {
  readonly sessionId: string
  readonly host: Host
  /** Permission keys the user allowed for the whole session; added to by calls (PERM-3). */
  readonly allowed: Set<string>
  /** Code points the model reads of one result at most (CUT-1). */
  readonly maxOutput: number
}

/** What the model reads. */
export interface Result {
  readonly text: string
  readonly failed: boolean
}

/** One call, not begun yet; `runAll` runs it. */
export interface ToolCall {
  readonly requested: Requested
  /** The arguments, where they can be used. */
  readonly arguments: JsonObject | undefined
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
  const { arguments: args, rawInput } = CallArguments.decode(requested.arguments)
  const shown = {
    toolCallId: requested.toolCallId,
    title: tool?.title ?? requested.name,
    kind: tool?.kind ?? "other",
    status: "pending" as const,
    ...(rawInput === undefined ? {} : { rawInput })
  }
  let isExecuting = false
  let result: Result | undefined

  const report = (update: SessionUpdate): Effect.Effect<void> => host.report?.(sessionId, update) ?? Effect.void
  const update = (change: Omit<ToolCallUpdate, "toolCallId">): Effect.Effect<void> =>
    report({ sessionUpdate: "tool_call_update", toolCallId: requested.toolCallId, ...change })

  // Uninterruptible: an end that is noted has been reported.
  const finish = (outcome: CallOutcome.CallOutcome, isReported: boolean): Effect.Effect<Result> =>
    Effect.suspend(() => {
      const { text, failed } = CallOutcome.toText(outcome)
      const ended: Result = { text: Cut.cut(text, context.maxOutput), failed }
      result = ended
      const terminal = update({
        status: failed ? "failed" : "completed",
        content: [{ type: "content", content: { type: "text", text: ended.text } }]
      })
      return Effect.as(isReported ? terminal : Effect.void, ended)
    }).pipe(Effect.uninterruptible)

  const isAllowed = Effect.fnUntraced(function* ({ permissionKey, policy }: Tool) {
    if (!Permission.isAsked(policy)) return true
    if (policy.permissions === "auto" && context.allowed.has(permissionKey)) return true
    if (host.askPermission === undefined) return false
    const offered = Permission.options(policy)
    const decision = yield* host.askPermission({ sessionId, toolCall: shown, options: offered }).pipe(
      Effect.map((answer) => Permission.decide(offered, answer)),
      Effect.catchTag("RequestRejected", () => Effect.succeed("reject" as const)),
      // A cancel that came before this answer ends the call here.
      Effect.tap(SameChunk.handled)
    )
    if (decision === "allowAlways") context.allowed.add(permissionKey)
    return decision !== "reject"
  })

  const execute = Effect.fnUntraced(function* (): Effect.fn.Return<CallOutcome.CallOutcome, ConnectionClosed> {
    if (tool === undefined) return { kind: "unknownTool", name: requested.name }
    if (args === undefined) return { kind: "badArguments" }
    const names = CallArguments.missing(args, tool.requiredParameters)
    if (names.length > 0) return { kind: "missing", names }
    if (!(yield* isAllowed(tool))) return { kind: "rejected", modelName: tool.declaration.name }
    isExecuting = true
    yield* update({ status: "in_progress" })
    const answer = yield* tool.execute(args, sessionId).pipe(Effect.timeoutOption(tool.timeout.milliseconds))
    return Option.getOrElse(answer, () => ({ kind: "timeout", timeout: tool.timeout.text }))
  })

  return {
    requested,
    arguments: args,
    announce: report({ sessionUpdate: "tool_call", ...shown }),
    run: Effect.suspend(execute).pipe(
      Effect.flatMap((outcome) => finish(outcome, true)),
      Effect.asVoid
    ),
    end: (isReported) =>
      Effect.suspend(() =>
        result === undefined
          ? finish({ kind: isExecuting ? "cancelled" : "notStarted" }, isReported)
          : Effect.succeed(result)
      )
  }
}

/**
 * Announces the calls in their order and runs them at once (CALL-6). However that ends, each call then has exactly one
 * result, and `record` gets all of them in the order asked (TURN-3). Interruption cancels what is running at the client.
 */
export const runAll = <E>(
  calls: ReadonlyArray<ToolCall>,
  record: (results: ReadonlyArray<Result>) => Effect.Effect<void, E>
): Effect.Effect<void, ConnectionClosed | E> =>
  Effect.gen(function* () {
    yield* Effect.forEach(calls, (call) => call.announce, { discard: true })
    const running = Effect.forEach(calls, (call) => call.run, { concurrency: "unbounded", discard: true })
    // Not `restore`: a caller that must not be cut off before or after is still to be cancelled in here.
    const exit = yield* Effect.exit(Effect.interruptible(running))
    const isLost = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
    yield* record(yield* Effect.forEach(calls, (call) => call.end(!isLost)))
    return yield* exit
  }).pipe(Effect.uninterruptible)
