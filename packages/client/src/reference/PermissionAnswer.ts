/**
 * The answer to a permission question on the wire: the policy's choice, where it is one that was offered. Made by Connection
 * for `session/request_permission`.
 */
import type { RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk"
import { Json, Thrown, Wording } from "@acp-client-tools/protocol"
import type { PermissionPolicy } from "./PermissionPolicy.ts"
import type { PermissionQuestions } from "./PermissionQuestions.ts"

export interface Asking {
  readonly policy: PermissionPolicy
  readonly questions: PermissionQuestions
  /** Nobody is asked about a session that is not open here. */
  readonly isOpen: (sessionId: string) => boolean
  readonly say: (line: string) => void
}

const toResponse = (optionId: string | undefined): RequestPermissionResponse => ({
  outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId }
})

/** Asks, and answers `cancelled` where nothing was chosen, or nothing that was offered. A policy that fails has allowed nothing. */
export const answer = async (
  { isOpen, policy, questions, say }: Asking,
  request: RequestPermissionRequest,
  signal: AbortSignal
): Promise<RequestPermissionResponse> => {
  if (!isOpen(request.sessionId)) return toResponse(undefined)
  try {
    const chosen: unknown = await questions.ask(policy, request, signal)
    const option = request.options.find(({ optionId }) => optionId === chosen)
    if (option === undefined && chosen !== undefined && chosen !== null) {
      const offered = request.options.map(({ optionId }) => optionId)
      say(Wording.optionNotOffered(Json.stringify(chosen) ?? "", offered))
    }
    return toResponse(option?.optionId)
  } catch (cause) {
    say(Wording.policyFailed(Thrown.text(cause)))
    return toResponse(undefined)
  }
}
