/**
 * JSON values as they come off the wire: what is an object, how deep it goes, and how to write one without throwing.
 * Called by every module here that takes `unknown`.
 */
import { Predicate, Schema } from "effect"

/** An object as `JSON.parse` makes it. Keys are read with `Object.hasOwn`, never through a prototype. */
export type JsonObject = { readonly [key: string]: unknown }

/** True for a non-null object that is not an array. */
export const isObject = (value: unknown): value is JsonObject => Predicate.isObject(value)

/** A JSON object taken as it is: nothing is copied, so a key called `__proto__` stays an ordinary key. */
export const JsonObject = Schema.declare(isObject, { expected: "a JSON object" })

/**
 * The own value under `key` of an object, else `undefined`: `constructor` and `__proto__` find nothing unless the peer
 * sent them.
 */
export const get = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** Sets an own property; plain assignment would take `__proto__` for the prototype. */
export const set = (target: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  } else {
    target[key] = value
  }
}

/**
 * True when arrays and objects are nested deeper than `limit` levels (a scalar is level 0, `{}` level 1). Looks no
 * deeper than the limit, so no depth of `value` can exhaust the stack.
 */
export const isDeeperThan = (value: unknown, limit: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (limit === 0) return true
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, limit - 1))
  return Object.values(value).some((item) => isDeeperThan(item, limit - 1))
}

/** Compact JSON text; `undefined` reads `null`. Returns `undefined` where JSON has no text for it (depth, cycles). */
export const stringify = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value) ?? "null"
  } catch {
    return undefined
  }
}

/** The parsed value, or `undefined` for text that is not JSON. */
export const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The JSON name of a value's type: `null`, `array`, `object`, `string`, `number`, `boolean`. */
export const typeName = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value

/** The key a segment of a JSON pointer stands for. */
export const pointerKey = (segment: string): string => segment.replaceAll("~1", "/").replaceAll("~0", "~")
