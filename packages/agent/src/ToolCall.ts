/**
 * One call of one tool, from the model's wish to the text the model reads: required check, permission, request, decode,
 * cut, report. Made by ClientTools.call for any agent, and by the reference agent's PromptTurn.
 */
import type { SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk"
import { CallArguments, CallOutcome, Cut, type GoDuration } from "@acp-client-tools/protocol"
import { Effect, Option } from "effect"
import type { ConnectionClosed, Host } from "./Host.ts"
import * as Permission from "./Permission.ts"
import * as SameChunk from "./SameChunk.ts"
import type { Tool } from "./Tool.ts"

/** What the model asked for. */
export interface Wish {
  /** Unique in the session; names the call in every report. */
  readonly toolCallId: string
  /** The name the model used; the session may have no such tool (CALL-5). */
  readonly name: string
  /** The arguments as the model sent them: a value, or JSON text (CALL-4). */
  readonly arguments: unknown
}

/** Where a call happens. */
export interface Place {
  readonly sessionId: string
  readonly host: Host
  readonly policy: Permission.Policy
  /** Permission keys the user allowed for the whole session; added to by calls (PERM-3). */
  readonly allowed: Set<string>
  /** Bound of the tool's execution; waiting for a permission does not count (PERM-5). */
  readonly timeout: GoDuration.GoDuration
  /** Code points the model reads at most (CUT-1). */
  readonly maxOutput: number
}

/** What the model reads. */
export interface Ended {
  readonly text: string
  readonly failed: boolean
}

export interface ToolCall {
  /** Reports the call as `pending`. Comes first, once. */
  readonly announce: Effect.Effect<void>
  /** Runs the call to its terminal update. */
  readonly run: Effect.Effect<void, ConnectionClosed>
  /**
   * What the model reads. A call that has not ended by now (its turn was cancelled, or the connection lost) ends here: as
   * `cancelled` when its execution had begun, else as `not started`, with that terminal update (ERR-3, TURN-3).
   */
  readonly end: Effect.Effect<Ended>
}

/** The call, not begun yet. `tool` is `undefined` when the session has none of that name. */
export const make = (tool: Tool | undefined, wish: Wish, place: Place): ToolCall => {
  const { sessionId, host } = place
  const { arguments: args, rawInput } = CallArguments.decode(wish.arguments)
  const shown = {
    toolCallId: wish.toolCallId,
    title: tool?.title ?? wish.name,
    kind: tool?.kind ?? "other",
    status: "pending" as const,
    ...(rawInput === undefined ? {} : { rawInput })
  }
  let executing = false
  let ended: Ended | undefined

  const report = (update: SessionUpdate): Effect.Effect<void> => host.report?.(sessionId, update) ?? Effect.void
  const update = (change: Omit<ToolCallUpdate, "toolCallId">): Effect.Effect<void> =>
    report({ sessionUpdate: "tool_call_update", toolCallId: wish.toolCallId, ...change })

  // Uninterruptible: an end that is noted has been reported.
  const finish = (outcome: CallOutcome.CallOutcome): Effect.Effect<Ended> =>
    Effect.suspend(() => {
      const { text, failed } = CallOutcome.toText(outcome)
      const result: Ended = { text: Cut.cut(text, place.maxOutput), failed }
      ended = result
      return Effect.as(
        update({
          status: failed ? "failed" : "completed",
          content: [{ type: "content", content: { type: "text", text: result.text } }]
        }),
        result
      )
    }).pipe(Effect.uninterruptible)

  const isAllowed = Effect.fnUntraced(function* (permissionKey: string) {
    if (!Permission.isAsked(place.policy)) return true
    const remembered = place.policy.permissions === "auto" && place.allowed.has(permissionKey)
    if (remembered) return true
    if (host.askPermission === undefined) return false
    const offered = Permission.options(place.policy)
    const decision = yield* host.askPermission({ sessionId, toolCall: shown, options: offered }).pipe(
      Effect.map((answer) => Permission.decide(offered, answer)),
      Effect.catchTag("RequestRejected", () => Effect.succeed("reject" as const)),
      // A cancel that came before this answer ends the call here.
      Effect.tap(SameChunk.handled)
    )
    if (decision === "allowAlways") place.allowed.add(permissionKey)
    return decision !== "reject"
  })

  const execute = Effect.fnUntraced(function* (): Effect.fn.Return<CallOutcome.CallOutcome, ConnectionClosed> {
    if (tool === undefined) return { kind: "unknownTool", name: wish.name }
    if (args === undefined) return { kind: "badArguments" }
    const names = CallArguments.missing(args, tool.requiredParameters)
    if (names.length > 0) return { kind: "missing", names }
    if (!(yield* isAllowed(tool.permissionKey))) return { kind: "rejected", modelName: tool.declaration.name }
    executing = true
    yield* update({ status: "in_progress" })
    const outcome = yield* tool.execute(args, sessionId).pipe(Effect.timeoutOption(place.timeout.milliseconds))
    return Option.getOrElse(outcome, () => ({ kind: "timeout", timeout: place.timeout.text }))
  })

  return {
    announce: report({ sessionUpdate: "tool_call", ...shown }),
    run: Effect.suspend(execute).pipe(Effect.flatMap(finish), Effect.asVoid),
    end: Effect.suspend(() =>
      ended === undefined ? finish({ kind: executing ? "cancelled" : "notStarted" }) : Effect.succeed(ended)
    )
  }
}
