import { isObject, show } from "./Json.ts"
import type { Json, JsonObject } from "./Json.ts"

/** What a transcript has saved so far, by name. */
export type Bindings = ReadonlyMap<string, Json>

/** The outcome of matching: the bindings with what the pattern saved, or the first difference as a sentence. */
export type Outcome = { readonly bindings: Bindings } | { readonly difference: string }

/** A mistake in the transcript itself, not in the peer. */
export class TranscriptError extends Error {
  override readonly name = "TranscriptError"
}

const types = ["string", "number", "object", "array", "boolean"]

const isString = (value: Json): value is string => typeof value === "string"

const isRegex = (value: Json) => {
  if (!isString(value)) return false
  try {
    return new RegExp(value.replaceAll(reference, "x"), "u") instanceof RegExp
  } catch {
    return false
  }
}

const reference = /\$\{([A-Za-z][A-Za-z0-9_]*)\}/gu

/** Every matcher with what its argument must be; a `$` key that is not here is a typo. */
const matchers: Record<string, readonly [accepts: string, ok: (argument: Json) => boolean]> = {
  $any: ["true", (argument) => argument === true],
  $type: [types.join(", "), (argument) => isString(argument) && types.includes(argument)],
  $regex: ["a regular expression", isRegex],
  $absent: ["true", (argument) => argument === true],
  $exact: ["a pattern", () => true],
  $save: ["a name", isString],
  $ref: ["a name", isString],
  $oneOf: ["a list of patterns", (argument) => Array.isArray(argument) && argument.length > 0],
  $unordered: ["a list of patterns", (argument) => Array.isArray(argument)],
  $contains: ["a text", isString],
  $literal: ["any JSON", () => true]
}

const isMatcher = (pattern: JsonObject) => Object.keys(pattern).some((key) => key.startsWith("$"))

/** Throws a {@link TranscriptError} when a pattern holds an unknown matcher or one with a wrong argument. */
export const check = (pattern: Json, path = ""): void => {
  if (Array.isArray(pattern)) return pattern.forEach((item, index) => check(item, `${path}[${index}]`))
  if (!isObject(pattern)) return
  const matching = isMatcher(pattern)
  for (const [key, argument] of Object.entries(pattern)) {
    const at = path === "" ? key : `${path}.${key}`
    if (!matching) {
      check(argument, at)
      continue
    }
    const rule = Object.hasOwn(matchers, key) ? matchers[key] : undefined
    if (rule === undefined) {
      const known = Object.keys(matchers).join(", ")
      throw new TranscriptError(`${at}: unknown matcher (known: ${known}; data with $ keys goes into $literal)`)
    }
    if (!rule[1](argument)) throw new TranscriptError(`${at}: takes ${rule[0]}, not ${show(argument)}`)
    if (key === "$exact" || key === "$oneOf" || key === "$unordered") check(argument, at)
  }
}

const bound = (name: string, bindings: Bindings): Json => {
  const value = bindings.get(name)
  if (value === undefined) throw new TranscriptError(`nothing is saved as "${name}"`)
  return value
}

/** The text that a value is put into a text as: a string as it is, anything else as JSON. */
export const plain = (value: Json) => (isString(value) ? value : JSON.stringify(value))

/** The names that a text refers to by `${name}`. */
export const references = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(reference)].map(([, name]) => name ?? "")

/** A text with every `${name}` replaced by what is saved under that name. */
export const fillText = (text: string, bindings: Bindings, escape = (value: string) => value): string =>
  text.replaceAll(reference, (_, name: string) => escape(plain(bound(name, bindings))))

/**
 * A message to send: `${name}` in strings and `{"$ref": "name"}` are replaced by what was saved, `{"$literal": x}` by
 * `x` untouched. Other `$` keys are data.
 */
export const fill = (template: Json, bindings: Bindings): Json => {
  if (isString(template)) return fillText(template, bindings)
  if (Array.isArray(template)) return template.map((item) => fill(item, bindings))
  if (!isObject(template)) return template
  const entries = Object.entries(template)
  const [only] = entries
  if (only !== undefined && entries.length === 1) {
    if (only[0] === "$ref" && isString(only[1])) return bound(only[1], bindings)
    if (only[0] === "$literal") return only[1]
  }
  return Object.fromEntries(entries.map(([key, value]) => [key, fill(value, bindings)]))
}

/** Deep equality of JSON values; the order of keys does not count. */
export const equal = (a: Json | undefined, b: Json | undefined): boolean => {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]))
  if (!isObject(a)) return a === b
  if (!isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
}

const typeOf = (value: Json) => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value)

const escapeRegex = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}/]/gu, (char) => `\\${char}`)

/** One matcher against a value that is there; the difference, or nothing. */
const apply = (
  key: string,
  argument: Json,
  value: Json,
  saved: Map<string, Json>,
  path: string,
  exact: boolean
): string | undefined => {
  const unless = (holds: boolean, expected: string) =>
    holds ? undefined : `${path || "the message"}: expected ${expected}, got ${show(value, 300)}`
  const text = isString(argument) ? argument : ""
  switch (key) {
    case "$any":
      return undefined
    case "$absent":
      return unless(false, "the key to be absent")
    case "$type":
      return unless(typeOf(value) === argument, `a value of type ${text}`)
    case "$regex": {
      const source = fillText(text, saved, escapeRegex)
      return unless(isString(value) && new RegExp(source, "u").test(value), `a text matching /${source}/`)
    }
    case "$contains": {
      const part = fillText(text, saved)
      return unless(isString(value) && value.includes(part), `a text containing ${show(part)}`)
    }
    case "$exact":
      return compare(argument, value, saved, path, true)
    case "$literal":
      return unless(equal(argument, value), `exactly ${show(argument)}`)
    case "$ref": {
      const expected = bound(text, saved)
      return unless(equal(expected, value), `${show(expected)} (saved as "${text}")`)
    }
    case "$save":
      saved.set(text, value)
      return undefined
    case "$unordered": {
      const patterns = Array.isArray(argument) ? argument : []
      const sized = Array.isArray(value) && value.length === patterns.length
      const found = sized ? matchAll(patterns, value, saved) : undefined
      found?.forEach((one, name) => saved.set(name, one))
      return unless(found !== undefined, `in any order ${show(argument)}`)
    }
    case "$oneOf": {
      for (const choice of Array.isArray(argument) ? argument : []) {
        const attempt = new Map(saved)
        if (compare(choice, value, attempt, path, exact) !== undefined) continue
        attempt.forEach((found, name) => saved.set(name, found))
        return undefined
      }
      return unless(false, `one of ${show(argument)}`)
    }
    default:
      throw new TranscriptError(`${path}: unknown matcher ${key}`)
  }
}

const compare = (
  pattern: Json,
  value: Json | undefined,
  saved: Map<string, Json>,
  path: string,
  exact: boolean
): string | undefined => {
  const differs = (expected: string) => `${path || "the message"}: expected ${expected}, got ${show(value, 300)}`
  if (isObject(pattern) && isMatcher(pattern)) {
    if (value === undefined) {
      const choices = Array.isArray(pattern["$oneOf"]) ? pattern["$oneOf"] : []
      const mayMiss = pattern["$absent"] === true || choices.some((choice) => isObject(choice) && choice["$absent"])
      return mayMiss ? undefined : differs(show(pattern))
    }
    // `$save` comes last, so that nothing is saved from a value that another matcher refuses
    const parts = Object.entries(pattern).toSorted(([a], [b]) => Number(a === "$save") - Number(b === "$save"))
    for (const [key, argument] of parts) {
      const difference = apply(key, argument, value, saved, path, exact)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  if (isString(pattern)) {
    const text = fillText(pattern, saved)
    return value === text ? undefined : differs(show(text))
  }
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value)) return differs(show(pattern))
    if (value.length !== pattern.length) return differs(`${pattern.length} items ${show(pattern)}`)
    for (const [index, item] of pattern.entries()) {
      const difference = compare(item, value[index], saved, `${path}[${index}]`, exact)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  if (!isObject(pattern)) return value === pattern ? undefined : differs(show(pattern))
  if (!isObject(value)) return differs(show(pattern))
  for (const [key, item] of Object.entries(pattern)) {
    const own = Object.hasOwn(value, key) ? value[key] : undefined
    const difference = compare(item, own, saved, path === "" ? key : `${path}.${key}`, exact)
    if (difference !== undefined) return difference
  }
  const extra = exact ? Object.keys(value).filter((key) => !Object.hasOwn(pattern, key)) : []
  return extra.length === 0 ? undefined : differs(`no other keys, such as ${extra.join(", ")}`)
}

/**
 * Matches a value against a pattern. Scalars and arrays must be equal, an object must have at least the pattern's keys,
 * an object of `$` keys is a list of matchers that all must hold.
 */
export const match = (pattern: Json, value: Json, bindings: Bindings): Outcome => {
  const saved = new Map(bindings)
  const difference = compare(pattern, value, saved, "", false)
  return difference === undefined ? { bindings: saved } : { difference }
}

/** Matches every value to one pattern of its own, in any order; nothing when that is impossible. */
export const matchAll = (
  patterns: ReadonlyArray<Json>,
  values: ReadonlyArray<Json>,
  bindings: Bindings
): Bindings | undefined => {
  const [pattern, ...others] = patterns
  if (pattern === undefined) return bindings
  for (const [index, value] of values.entries()) {
    const outcome = match(pattern, value, bindings)
    if ("difference" in outcome) continue
    const rest = matchAll(others, values.toSpliced(index, 1), outcome.bindings)
    if (rest !== undefined) return rest
  }
  return undefined
}
