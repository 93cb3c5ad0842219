/** A JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** Whether a value is a JSON object, which an array and `null` are not. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The JSON text of a value, cut to `limit` characters so that it can be shown. */
export const show = (value: unknown, limit = 600): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`
}
