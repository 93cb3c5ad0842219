/** Who answers `session/request_permission`, and how (CLI-3). Chosen when a client is made. */
import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk"

/** Picks one of the offered options; `undefined` when none fits, which the agent reads as a refusal. */
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

/** The answer on the wire: the chosen option, or `cancelled`. */
export const toResponse = (optionId: string | undefined): RequestPermissionResponse => ({
  outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId }
})
