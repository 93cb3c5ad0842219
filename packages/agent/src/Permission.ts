/** Whether a call may run, and what the client is asked [Before the request]. Called by ToolCall before every call. */
import type { PermissionOption } from "@agentclientprotocol/sdk"
import { Json, Wording } from "@acp-client-tools/protocol"

/** `auto`: a call asks only where nothing allows it. `ask`: every call asks. */
export type Mode = "auto" | "ask"

/** What the user allows in a session. In memory, from its opening to its close; changed by answers and by the user (OWN-5). */
export interface Grants {
  /** Tools run without a question, unless their mode is `ask`. */
  yolo: boolean
  /** The permission keys of the tools that were allowed for the whole session (PERM-3). */
  readonly always: Set<string>
}

/** What is asked about: a tool, as far as its permission goes. */
export interface Subject {
  readonly permissions: Mode
  /** Two tools with one key share what the user allowed. */
  readonly permissionKey: string
}

/** True when a call has to ask (PERM-1). */
export const isAsked = ({ permissionKey, permissions }: Subject, grants: Grants): boolean =>
  permissions === "ask" || !(grants.yolo || grants.always.has(permissionKey))

/** The answers offered; "always" only where it would be heeded (PERM-3). */
export const options = (mode: Mode): Array<PermissionOption> => [
  { optionId: "allow", name: Wording.permissionAllow, kind: "allow_once" },
  ...(mode === "auto"
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
