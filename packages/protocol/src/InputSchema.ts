/**
 * The rewrite of a tool's `inputSchema` into the parameters the model is shown [Schema as the model sees it]. Called by
 * ToolSet once for every tool.
 */
import { Result } from "effect"
import * as Json from "./Json.ts"
import type { JsonObject } from "./Json.ts"
import * as SubSchemas from "./SubSchemas.ts"
import * as Wording from "./Wording.ts"

/** How deep sub-schemas may be nested, the root counting as 1 (SCHEMA-9). */
export const MAX_SCHEMA_LEVELS = 256

/** How deep the data in a schema (`default`, `const`, unknown keywords …) may be nested (SCHEMA-9). */
export const MAX_DATA_LEVELS = 1000

/** What becomes of an `inputSchema`. */
export interface Rewritten {
  /** The schema for the model: `type` and `properties` always present, no `required`, no `enum` (SCHEMA-1 to SCHEMA-7). */
  readonly parameters: JsonObject
  /** The names of root `required`: strings only, each once, in order. Checked before a call (SCHEMA-1, CALL-1). */
  readonly requiredParameters: ReadonlyArray<string>
}

// Only this module throws it and only `rewrite` catches it: the walk is deep and every level would have to pass it on.
class TooDeep {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

const data = (value: unknown): unknown => {
  if (Json.isDeeperThan(value, MAX_DATA_LEVELS)) throw new TooDeep(Wording.schemaDataTooDeep(MAX_DATA_LEVELS))
  return value
}

/** The strings of a `required`, each once, in order (SCHEMA-1). */
const requiredNames = (required: unknown): ReadonlyArray<string> =>
  Array.isArray(required) ? [...new Set(required.filter((name): name is string => typeof name === "string"))] : []

const enumValue = (value: unknown): string =>
  typeof value === "string" && value !== "" ? value : (Json.stringify(value) ?? "")

/** The texts that take the place of `enum` and of a nested `required`, in this order (SCHEMA-2, SCHEMA-4). */
const notes = (schema: JsonObject, root: boolean): ReadonlyArray<string> => {
  const values = Json.get(schema, "enum")
  const required = root ? [] : requiredNames(Json.get(schema, "required"))
  return [
    ...(Array.isArray(values) && values.length > 0 ? [Wording.oneOf(values.map(enumValue))] : []),
    ...(required.length > 0 ? [Wording.requiredParameters(required)] : [])
  ]
}

const walkSchema = (value: unknown, level: number): unknown =>
  Json.isObject(value) ? walkObject(value, level, false) : data(value)

const walkObject = (schema: JsonObject, level: number, root: boolean): Record<string, unknown> => {
  if (level > MAX_SCHEMA_LEVELS) throw new TooDeep(Wording.schemaTooDeep(MAX_SCHEMA_LEVELS))
  const rewritten: Record<string, unknown> = {}
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (SubSchemas.standUnder(keyword)) {
      if (keyword === "additionalProperties" && value === false) continue
      rewritten[keyword] = SubSchemas.map(keyword, value, (sub) => walkSchema(sub, level + 1), data)
      continue
    }
    data(value)
    if (keyword === "required" || keyword === "enum" || keyword === "$schema") continue
    Json.set(rewritten, keyword, value)
  }
  const texts = notes(schema, root)
  if (texts.length > 0) rewritten["description"] = appendTo(rewritten["description"], texts)
  return rewritten
}

/** `texts` after a description, one space between the parts; a description that is blank or no string counts as absent. */
export const appendTo = (description: unknown, texts: ReadonlyArray<string>): string =>
  [...(typeof description === "string" && description.trim() !== "" ? [description] : []), ...texts].join(" ")

/**
 * The parameters for the model and the required names, or why the schema cannot be used: a `type` other than
 * `"object"` (LIST-2) or nesting beyond the limits (SCHEMA-9). Never mutates `schema`; parts that need no change are
 * shared with it (SCHEMA-8). An absent schema is a tool without parameters (TOOL-4).
 */
export const rewrite = (schema: JsonObject | undefined): Result.Result<Rewritten, string> => {
  if (schema === undefined) {
    return Result.succeed({ parameters: { type: "object", properties: {} }, requiredParameters: [] })
  }
  const type = Json.get(schema, "type")
  try {
    if (Object.hasOwn(schema, "type") && type !== "object") {
      return Result.fail(Wording.schemaTypeMustBeObject(Json.stringify(data(type)) ?? Json.typeName(type)))
    }
    const { type: _type, properties, ...rest } = walkObject(schema, 1, true)
    return Result.succeed({
      parameters: { type: "object", properties: Json.isObject(properties) ? properties : {}, ...rest },
      requiredParameters: requiredNames(Json.get(schema, "required"))
    })
  } catch (error) {
    if (error instanceof TooDeep) return Result.fail(error.reason)
    throw error
  }
}
