/** The session updates by which a client follows a call (REPORT-1). Sent by ToolCall, and again by History for a load. */
import type { SessionUpdate, ToolKind } from "@agentclientprotocol/sdk"
import type { Result } from "./ToolCall.ts"

/** A call as the client is shown it. */
export interface Shown {
  /** Unique in the session. */
  readonly toolCallId: string
  readonly title: string
  readonly kind: ToolKind
  /** The arguments as the model sent them; absent when they cannot be shown (CALL-4). */
  readonly rawInput?: unknown
}

/** The call is announced; this is also what a permission question shows of it (PERM-1). */
export const pending = (shown: Shown) => ({ ...shown, status: "pending" as const })

export const announced = (shown: Shown): SessionUpdate => ({ sessionUpdate: "tool_call", ...pending(shown) })

/** The call is about to be executed. */
export const inProgress = (toolCallId: string): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  status: "in_progress"
})

/** The call has ended: the last update of it. */
export const ended = (toolCallId: string, { failed, text }: Result): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  status: failed ? "failed" : "completed",
  content: [{ type: "content", content: { type: "text", text } }]
})
