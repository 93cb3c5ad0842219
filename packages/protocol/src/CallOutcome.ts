/** How one tool call ended, and what the model and the editor read of it [Response, Errors]. Called by the agent once for every call. */
import * as CallResult from "./CallResult.ts"
import * as RpcError from "./RpcError.ts"
import * as Wording from "./Wording.ts"

export type CallOutcome =
  /** The client answered with a result. */
  | { readonly kind: "result"; readonly result: unknown }
  /** The client answered with a JSON-RPC error (ERR-1). */
  | { readonly kind: "error"; readonly error: RpcError.RpcError }
  /** No answer within the timeout, written as in the agent file (ERR-2). */
  | { readonly kind: "timeout"; readonly timeout: string }
  /** Required arguments were absent; nothing was sent (CALL-1). */
  | { readonly kind: "missing"; readonly names: ReadonlyArray<string> }
  /** The arguments were not a JSON object; nothing was sent (CALL-4). */
  | { readonly kind: "badArguments" }
  /** The session has no such tool (CALL-5). */
  | { readonly kind: "unknownTool"; readonly name: string }
  /** The user, or a client that could not ask one, said no (PERM-4). */
  | { readonly kind: "rejected"; readonly modelName: string }
  /** The turn was cancelled while the call ran (TURN-3). */
  | { readonly kind: "cancelled" }
  /** The turn was cancelled before the call began (TURN-3). */
  | { readonly kind: "notStarted" }

export interface Text {
  /** What the model reads, not cut yet. */
  readonly text: string
  /** True when the call is reported as `failed`. */
  readonly failed: boolean
}

// Names and messages come from the model and the client; what goes out is well-formed (RES-5).
const failed = (text: string): Text => ({ text: Wording.toolError(text).toWellFormed(), failed: true })

/** The text for the model, in its wrapper where there is one, and whether the call failed. */
export const toText = (outcome: CallOutcome): Text => {
  switch (outcome.kind) {
    case "result": {
      const { text, isError } = CallResult.decode(outcome.result)
      return isError ? failed(text) : { text, failed: false }
    }
    case "error":
      return failed(RpcError.toText(outcome.error))
    case "timeout":
      return failed(RpcError.toText(Wording.timeoutError(outcome.timeout)))
    case "missing":
      return failed(Wording.missingParameters(outcome.names))
    case "badArguments":
      return failed(Wording.argumentsMustBeObject)
    case "unknownTool":
      return failed(Wording.unknownTool(outcome.name))
    case "rejected":
      return { text: Wording.rejectedByUser(outcome.modelName), failed: true }
    case "cancelled":
      return failed(Wording.cancelled)
    case "notStarted":
      return failed(Wording.notStarted)
  }
}
