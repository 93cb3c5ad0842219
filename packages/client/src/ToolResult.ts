/** A handler's outcome as the result that goes on the wire (CLIENT-4). Called by RequestHandler; never throws. */
import { type JsonObject, Wording } from "@acp-client-tools/protocol"

/** The longest answer sent, in bytes of UTF-8: the ACP SDK's limit of a line, less room for the envelope. */
export const MAX_BYTES = 31 * 1024 * 1024

/** A failed call with a text for the model: a content list with `isError` [Response]. */
export const error = (text: string): JsonObject => ({ content: [{ type: "text", text }], isError: true })

const stringAt = (value: unknown, key: string): string => {
  const field: unknown = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined
  return typeof field === "string" ? field : ""
}

/**
 * What was thrown, in words: an error's message, else its name; a string as it is. By shape, for errors of other realms;
 * `undefined` for what says nothing, or throws when it is asked. Never throws.
 */
export const failureText = (cause: unknown): string | undefined => {
  if (typeof cause === "string") return cause
  if (typeof cause === "number" || typeof cause === "bigint" || typeof cause === "boolean") return `${cause}`
  try {
    return stringAt(cause, "message") || stringAt(cause, "name") || undefined
  } catch {
    return undefined
  }
}

// A UTF-16 unit takes at most three bytes of UTF-8, so only texts near the limit need counting.
const isTooLong = (text: string): boolean =>
  text.length * 3 > MAX_BYTES && new TextEncoder().encode(text).byteLength > MAX_BYTES

/**
 * What was returned, as a JSON value of its own: `undefined` is `null`; a value that JSON has no text for, or too much of
 * it, is a failed call that says so.
 */
export const fromValue = (value: unknown): unknown => {
  if (value === undefined) return null
  try {
    const text: string | undefined = JSON.stringify(value)
    if (text === undefined) return error(Wording.notAJsonValue(typeof value))
    if (isTooLong(text)) return error(Wording.tooManyBytes(MAX_BYTES))
    // A copy: what the handler still holds may change, or answer differently, before it is written.
    return typeof value === "string" ? value : (JSON.parse(text) as unknown)
  } catch (cause) {
    return error(Wording.notWritable(failureText(cause) ?? Wording.noReason))
  }
}

/** What was thrown, as a failed call; of any length, as `fromValue` has it. */
export const fromFailure = (cause: unknown): unknown =>
  fromValue(error(failureText(cause) ?? Wording.toolFailedSilently))
