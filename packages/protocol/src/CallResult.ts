/** The answer to a tool call, as text [Response]. Called by the agent for every answer. */
import * as Json from "./Json.ts"
import * as Wording from "./Wording.ts"

export interface CallResult {
  /** The text as the client gave it, well-formed, without wrapper and not cut. */
  readonly text: string
  /** True when the client says that the call failed, or its answer cannot be written as text. */
  readonly isError: boolean
}

const blockText = (block: unknown): string => {
  const type = Json.get(block, "type")
  const text = type === "text" ? Json.get(block, "text") : undefined
  return typeof text === "string" ? text : Wording.nonTextContent(typeof type === "string" ? type : "unknown")
}

/**
 * Reads both shapes of an answer: a content list (an object whose `content` is an array) and any other JSON value (RES-1
 * to RES-6). Takes any value and never throws.
 */
export const decode = (result: unknown): CallResult => {
  if (typeof result === "string") return { text: result.toWellFormed(), isError: false }
  const content = Json.get(result, "content")
  if (Array.isArray(content)) {
    const text = content.map(blockText).join("").toWellFormed()
    return { text, isError: Json.get(result, "isError") === true }
  }
  const text = Json.stringify(result)
  return text === undefined ? { text: Wording.resultTooDeep, isError: true } : { text, isError: false }
}
