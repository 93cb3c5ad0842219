/** A handler's outcome as the result that goes on the wire (CLIENT-4). Called by RequestHandler; never throws. */
import { type JsonObject, Thrown, Wording } from "@acp-client-tools/protocol"

/** The longest answer sent, in bytes of UTF-8: the ACP SDK's limit of a line, less room for the envelope. */
export const MAX_BYTES = 31 * 1024 * 1024

/** A block of a content list. */
export interface Block extends JsonObject {
  readonly type: string
}

/** A content list: what a tool gives that has more to say than one text [Response]. */
export interface Content extends JsonObject {
  readonly content: ReadonlyArray<Block>
  readonly isError?: true
}

/** The blocks as a result; the model reads their texts one after the other, with nothing between them. */
export const content = (...blocks: ReadonlyArray<Block>): Content => ({ content: blocks })

/** A failed call with a text for the model [Response]. Throwing an error does the same. */
export const error = (message: string): Content => ({ ...content(text(message)), isError: true })

/** A block of text. A result that is one text may be the string itself. */
export const text = (value: string): Block => ({ type: "text", text: value })

/**
 * An image, its bytes in base64. The specification shows the model only a note in its place, that content which is not text
 * was skipped (RES-2); an agent that knows more may show it.
 */
export const image = (data: string, mimeType: string): Block => ({ type: "image", data, mimeType })

/**
 * A resource with its content: a text, or bytes in base64 as `blob`. The specification shows the model only a note in its
 * place (RES-2): what the model has to read belongs into a text.
 */
export const resource = (
  contents: { readonly uri: string; readonly mimeType?: string } & (
    | { readonly text: string }
    | { readonly blob: string }
  )
): Block => ({ type: "resource", resource: contents })

/** True for JSON text of more than `MAX_BYTES`. */
// Only texts near the limit need counting: a UTF-16 unit takes at most three bytes of UTF-8.
export const isTooLong = (json: string): boolean =>
  json.length * 3 > MAX_BYTES && new TextEncoder().encode(json).byteLength > MAX_BYTES

/**
 * What was returned, as a JSON value of its own: `undefined` is `null`; a value that JSON has no text for, or too much of
 * it, is a failed call that says so.
 */
export const fromValue = (value: unknown): unknown => {
  if (value === undefined) return null
  try {
    const json: string | undefined = JSON.stringify(value)
    if (json === undefined) return error(Wording.notAJsonValue(typeof value))
    if (isTooLong(json)) return error(Wording.tooManyBytes(MAX_BYTES))
    // A copy: what the handler still holds may change, or answer differently, before it is written.
    return typeof value === "string" ? value : (JSON.parse(json) as unknown)
  } catch (cause) {
    return error(Wording.notWritable(Thrown.text(cause)))
  }
}

/** What was thrown, as a failed call; of any length, as `fromValue` has it. */
export const fromFailure = (cause: unknown): unknown => fromValue(error(Thrown.text(cause, Wording.toolFailedSilently)))
