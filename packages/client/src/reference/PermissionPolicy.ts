/** Who answers `session/request_permission`, and how (CLI-3). Chosen when a client is made. */
import type { PermissionOption, RequestPermissionRequest } from "@agentclientprotocol/sdk"

/**
 * Picks one of the offered options, by its id; `undefined` when none fits, which the agent reads as a refusal. The signal is
 * aborted when the question is withdrawn: its turn was cancelled, or the agent asks no more.
 */
export type PermissionPolicy = (
  request: RequestPermissionRequest,
  signal: AbortSignal
) => string | undefined | Promise<string | undefined>

/** The first option of the first kind that is offered. */
const firstOf =
  (...kinds: ReadonlyArray<PermissionOption["kind"]>): PermissionPolicy =>
  ({ options }) =>
    kinds.map((kind) => options.find((option) => option.kind === kind)).find((option) => option !== undefined)?.optionId

/** Says yes, for this once where that is offered. */
export const allow: PermissionPolicy = firstOf("allow_once", "allow_always")

/** Says no, for this once where that is offered. */
export const deny: PermissionPolicy = firstOf("reject_once", "reject_always")

/** What a question is about: a tool by its name, or by its title where the agent gives no name; in one session. */
const subject = ({ sessionId, toolCall }: RequestPermissionRequest): string =>
  JSON.stringify([sessionId, toolCall.name ?? toolCall.title ?? toolCall.toolCallId])

/**
 * The policy, asked once for each tool of a session when it answers with an option that is meant for always: later questions
 * about that tool get the same kind of answer. For agents that do not remember it themselves.
 */
export const remember = (policy: PermissionPolicy): PermissionPolicy => {
  const answers = new Map<string, PermissionPolicy>()
  return async (request, signal) => {
    const remembered = answers.get(subject(request))
    if (remembered !== undefined) return remembered(request, signal)
    const chosen = await policy(request, signal)
    const kind = request.options.find(({ optionId }) => optionId === chosen)?.kind
    if (kind === "allow_always") answers.set(subject(request), firstOf("allow_always", "allow_once"))
    if (kind === "reject_always") answers.set(subject(request), firstOf("reject_always", "reject_once"))
    return chosen
  }
}
