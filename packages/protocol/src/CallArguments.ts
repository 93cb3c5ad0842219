/** The arguments of a tool call as the model gave them [Before the request]. Called by the agent before every call. */
import * as Json from "./Json.ts"
import type { JsonObject } from "./Json.ts"

/** How deep arguments may be nested, the object itself counting as 1 (CALL-4). */
export const MAX_LEVELS = 256

export interface CallArguments {
  /** The arguments; `undefined` when they cannot be used and no request may be made. */
  readonly arguments: JsonObject | undefined
  /**
   * What the report shows: the value as the model sent it, parsed where it is JSON, `{}` when it sent none. `undefined`
   * when it is nested too deeply to be written again.
   */
  readonly rawInput: unknown
}

/**
 * Reads what a model sent: text is JSON text; absent, `null` and the empty string count as `{}`; anything else that is not
 * an object, or is nested deeper than 256 levels, is refused (CALL-4).
 */
export const decode = (raw: unknown): CallArguments => {
  const value = typeof raw === "string" && raw !== "" ? (Json.parse(raw) ?? { value: raw }).value : raw
  if (value === undefined || value === null || value === "")
    return { arguments: {}, rawInput: value === undefined ? {} : value }
  if (Json.isDeeperThan(value, MAX_LEVELS)) return { arguments: undefined, rawInput: undefined }
  return { arguments: Json.isObject(value) ? value : undefined, rawInput: value }
}

/** The required names that are not own keys, in the order of `required`; a key holding `null` is present (CALL-1). */
export const missing = (args: JsonObject, required: ReadonlyArray<string>): ReadonlyArray<string> =>
  required.filter((name) => !Object.hasOwn(args, name))
