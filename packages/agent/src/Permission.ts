/** Whether a call may run, and what the client is asked [Before the request]. Called by ToolCall before every call. */
import type { PermissionOption } from "@agentclientprotocol/sdk"
import { Json, Wording } from "@acp-client-tools/protocol"

export interface Policy {
  /** `auto`: ask only while `yolo` is off. `ask`: every call asks. */
  readonly permissions: "auto" | "ask"
  readonly yolo: boolean
}

/** True when a call has to ask, unless its tool was allowed for the session before (PERM-1). */
export const isAsked = (policy: Policy): boolean => policy.permissions === "ask" || !policy.yolo

/** The answers offered; "always" only where it would be heeded (PERM-3). */
export const options = (policy: Policy): Array<PermissionOption> => [
  { optionId: "allow", name: Wording.permissionAllow, kind: "allow_once" },
  ...(policy.permissions === "auto"
    ? [{ optionId: "allow_always", name: Wording.permissionAllowAlways, kind: "allow_always" } as const]
    : []),
  { optionId: "reject", name: Wording.permissionReject, kind: "reject_once" }
]

export type Decision = "allow" | "allowAlways" | "reject"

/** What an answer means. Only an option that was offered, of an allow kind, runs the tool; all else is no (PERM-4). */
export const decide = (offered: ReadonlyArray<PermissionOption>, answer: unknown): Decision => {
  const outcome = Json.get(answer, "outcome")
  if (Json.get(outcome, "outcome") !== "selected") return "reject"
  const chosen = offered.find((option) => option.optionId === Json.get(outcome, "optionId"))
  if (chosen?.kind === "allow_once") return "allow"
  return chosen?.kind === "allow_always" ? "allowAlways" : "reject"
}
