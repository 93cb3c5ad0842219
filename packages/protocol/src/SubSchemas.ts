/**
 * Where sub-schemas stand in a JSON Schema (SCHEMA-5). Called by whoever walks one: the rewrite for the model, the check of
 * arguments.
 */
import * as Json from "./Json.ts"

type Position = "schema" | "schemas" | "schemaOrSchemas" | "map"
const positions: ReadonlyMap<string, Position> = new Map<string, Position>([
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"].map(
    (keyword) => [keyword, "map"] as const
  ),
  ...["prefixItems", "anyOf", "oneOf", "allOf"].map((keyword) => [keyword, "schemas"] as const),
  ...["not", "if", "then", "else", "contains", "contentSchema", "additionalItems", "additionalProperties"].map(
    (keyword) => [keyword, "schema"] as const
  ),
  ...["propertyNames", "unevaluatedItems", "unevaluatedProperties"].map((keyword) => [keyword, "schema"] as const),
  ["items", "schemaOrSchemas"]
])

/** Whether what stands under this keyword are sub-schemas; anything under another keyword is data. */
export const standUnder = (keyword: string): boolean => positions.has(keyword)

/**
 * The value of such a keyword with each sub-schema in it replaced by what `change` makes of it. What has not the shape that
 * the keyword asks for is data, and goes through `data`.
 */
export const map = (
  keyword: string,
  value: unknown,
  change: (schema: unknown) => unknown,
  data: (value: unknown) => unknown
): unknown => {
  const position = positions.get(keyword)
  if (position === "schemas" || (position === "schemaOrSchemas" && Array.isArray(value))) {
    return Array.isArray(value) ? value.map((schema) => change(schema)) : data(value)
  }
  if (position !== "map") return change(value)
  if (!Json.isObject(value)) return data(value)
  const changed: Record<string, unknown> = {}
  for (const name of Object.keys(value)) Json.set(changed, name, change(value[name]))
  return changed
}
