/**
 * Anything a model can call: the one interface over which calls run (OWN-1). A client's tools are one kind; the reference
 * agent has its own, and those of MCP servers, beside them.
 */
import type { ToolKind } from "@agentclientprotocol/sdk"
import {
  type CallOutcome,
  CallParams,
  type ClientTool,
  type GoDuration,
  type JsonObject,
  ToolDeclaration,
  Wording
} from "@acp-client-tools/protocol"
import { Effect } from "effect"
import type { ConnectionClosed, Host } from "./Host.ts"
import type { Mode, Subject } from "./Permission.ts"

/** What a tool itself can answer: a result, or an error. The other outcomes of a call are the pipeline's. */
export type Answer = Extract<CallOutcome.CallOutcome, { readonly kind: "result" | "error" }>

export interface Tool extends Subject {
  /** What the model is told. */
  readonly declaration: ToolDeclaration.ToolDeclaration
  /** Names that must be own keys of the arguments (CALL-1). */
  readonly requiredParameters: ReadonlyArray<string>
  /** Where it comes from, for people: `client`, `built-in`, the name of an MCP server (OWN-4). */
  readonly source: string
  /** What the editor shows (REPORT-1); of the tool, not of a call. */
  readonly title: string
  /** What the editor shows of a call with arguments that can be used, where that says more. */
  readonly titleOf?: (args: JsonObject) => string
  readonly kind: ToolKind
  /** Bound of `execute`; waiting for a permission does not count (PERM-5). */
  readonly timeout: GoDuration.GoDuration
  /** Runs one call. Deadline and cancellation are interruptions of it. */
  readonly execute: (args: JsonObject, sessionId: string) => Effect.Effect<Answer, ConnectionClosed>
}

/** The answer of a tool that did not succeed; `text` says why, to the model. */
export const failed = (text: string): Answer => ({
  kind: "result",
  result: { content: [{ type: "text", text }], isError: true }
})

/** What the tools of a client have in common. */
export interface ClientToolOptions {
  readonly host: Pick<Host, "request">
  readonly permissions: Mode
  readonly timeout: GoDuration.GoDuration
}

/** A tool of the client: its call is a request to the client (CALL-2, CALL-3). */
export const fromClientTool = (tool: ClientTool, { host, permissions, timeout }: ClientToolOptions): Tool => ({
  declaration: ToolDeclaration.fromTool(tool),
  requiredParameters: tool.requiredParameters,
  source: Wording.sourceClient,
  title: Wording.callTitle(tool.name),
  kind: "other",
  permissions,
  permissionKey: JSON.stringify([tool.modelName, tool.method]),
  timeout,
  execute: (args, sessionId) =>
    host.request(tool.method, CallParams.make(args, sessionId)).pipe(
      Effect.map((result): Answer => ({ kind: "result", result })),
      Effect.catchTag("RequestRejected", ({ error }) => Effect.succeed({ kind: "error", error } as const))
    )
})
