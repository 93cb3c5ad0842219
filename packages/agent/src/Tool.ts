/** Anything a model can call: the one interface over which calls run (OWN-1). A client's tool is one kind. */
import type { ToolKind } from "@agentclientprotocol/sdk"
import {
  type CallOutcome,
  CallParams,
  type ClientTool,
  type JsonObject,
  ToolDeclaration,
  Wording
} from "@acp-client-tools/protocol"
import { Effect } from "effect"
import type { ConnectionClosed, Host } from "./Host.ts"

export interface Tool {
  /** What the model is told. */
  readonly declaration: ToolDeclaration.ToolDeclaration
  /** Names that must be own keys of the arguments (CALL-1). */
  readonly requiredParameters: ReadonlyArray<string>
  /** What the editor shows (REPORT-1). */
  readonly title: string
  readonly kind: ToolKind
  /** Two tools with one key share what the user allowed for a session (PERM-3). */
  readonly permissionKey: string
  /** Runs one call. Deadline and cancellation are interruptions of it. */
  readonly execute: (args: JsonObject, sessionId: string) => Effect.Effect<CallOutcome.CallOutcome, ConnectionClosed>
}

/** A tool of the client: its call is a request to the client (CALL-2, CALL-3). */
export const fromClientTool = (tool: ClientTool, host: Pick<Host, "request">): Tool => ({
  declaration: ToolDeclaration.fromTool(tool),
  requiredParameters: tool.requiredParameters,
  title: Wording.callTitle(tool.name),
  kind: "other",
  permissionKey: JSON.stringify([tool.modelName, tool.method]),
  execute: (args, sessionId) =>
    host.request(tool.method, CallParams.make(args, sessionId)).pipe(
      Effect.map((result): CallOutcome.CallOutcome => ({ kind: "result", result })),
      Effect.catchTag("RequestRejected", ({ error }) => Effect.succeed({ kind: "error", error } as const))
    )
})
