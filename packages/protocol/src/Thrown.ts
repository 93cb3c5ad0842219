/** What was thrown, in words. Called wherever code of others has failed; never throws itself. */
import * as Wording from "./Wording.ts"

const stringAt = (value: unknown, key: string): string => {
  const field: unknown = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined
  return typeof field === "string" ? field : ""
}

/**
 * An error's message, else its name; a string as it is. By shape, for errors of other realms; `otherwise` for what says
 * nothing, or throws when it is asked.
 */
export const text = (cause: unknown, otherwise: string = Wording.noReason): string => {
  if (typeof cause === "string") return cause
  if (typeof cause === "number" || typeof cause === "bigint" || typeof cause === "boolean") return `${cause}`
  try {
    return stringAt(cause, "message") || stringAt(cause, "name") || otherwise
  } catch {
    return otherwise
  }
}
