/**
 * The check of arguments against raw JSON Schema (CLIENT-3), by Ajv. Made by ToolSchema once for each definition, as the
 * Standard Schema every other library gives.
 */
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Json, type JsonObject, SubSchemas, Thrown, Wording } from "@acp-client-tools/protocol"
import type { StandardSchemaV1 } from "@standard-schema/spec"
import { Result } from "effect"

type Issue = StandardSchemaV1.Issue
type Draft = "2020-12" | "draft-07"

// Nothing is coerced or filled in, unknown keywords and formats are ignored, and no property is found in a prototype. 19.99 is a
// multiple of 0.01, which no binary fraction says exactly.
const options: Options = {
  strict: false,
  validateFormats: false,
  ownProperties: true,
  logger: false,
  multipleOfPrecision: 6
}

const make = (draft: Draft, allErrors: boolean): Ajv =>
  draft === "draft-07" ? new Ajv({ ...options, allErrors }) : new Ajv2020({ ...options, allErrors })

// An Ajv keeps some kilobytes of everything it ever compiled, and a new one costs some milliseconds.
const MAX_USES = 256

const made = new Map<string, { readonly ajv: Ajv; uses: number }>()

const shared = (draft: Draft, allErrors: boolean): Ajv => {
  const key = `${draft} ${allErrors}`
  const known = made.get(key)
  const one = known === undefined || known.uses === MAX_USES ? { ajv: make(draft, allErrors), uses: 0 } : known
  one.uses++
  made.set(key, one)
  return one.ajv
}

/** Compiles a schema; throws where that cannot be done. */
const compile = (schema: JsonObject, draft: Draft, allErrors: boolean): ValidateFunction => {
  // A schema with a name in it gets an Ajv of its own: names are unique in one, and stay known.
  if (Json.stringify(schema)?.includes('"$id"') !== false) return make(draft, allErrors).compile(schema)
  const ajv = shared(draft, allErrors)
  try {
    return ajv.compile(schema)
  } finally {
    ajv.removeSchema(schema)
  }
}

const draftOf = (schema: JsonObject): Draft =>
  /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(String(Json.get(schema, "$schema"))) ? "draft-07" : "2020-12"

// Keywords that are unknown to a draft, and not to Ajv; `$schema` is read by `draftOf`.
const notOurs = {
  "2020-12": new Set(["$async", "$schema", "id", "nullable"]),
  "draft-07": new Set(["$anchor", "$async", "$schema", "id", "nullable"])
}

// What draft-07 does not ignore beside a `$ref`: the schemas that references lead to.
const besideReference = new Set(["$ref", "definitions", "$defs"])

const counts = (schema: JsonObject, keyword: string, draft: Draft): boolean =>
  !notOurs[draft].has(keyword) &&
  (draft !== "draft-07" || !Object.hasOwn(schema, "$ref") || besideReference.has(keyword))

/** The schema as its draft reads it, without what Ajv would take for more. Its depth was looked at before. */
const asDraft = (schema: JsonObject, draft: Draft): JsonObject => {
  const cleaned: Record<string, unknown> = {}
  for (const keyword of Object.keys(schema)) {
    if (!counts(schema, keyword, draft)) continue
    const value = schema[keyword]
    const change = (sub: unknown): unknown => (Json.isObject(sub) ? asDraft(sub, draft) : sub)
    const changed = SubSchemas.standUnder(keyword) ? SubSchemas.map(keyword, value, change, (data) => data) : value
    Json.set(cleaned, keyword, changed)
  }
  return cleaned
}

const values = (allowed: unknown): ReadonlyArray<string> =>
  (Array.isArray(allowed) ? allowed : [allowed]).map((value) => Json.stringify(value) ?? "")

/** Where a fault lies below what Ajv names, and why it is one. */
const explain = ({ keyword, message = Wording.noReason, params }: ErrorObject): readonly [unknown, string] => {
  switch (keyword) {
    case "required":
      return [params["missingProperty"], Wording.argumentMissing]
    case "dependentRequired":
    case "dependencies":
      return [params["missingProperty"], message]
    case "additionalProperties":
      return [params["additionalProperty"], Wording.argumentNotAccepted]
    case "unevaluatedProperties":
      return [params["unevaluatedProperty"], Wording.argumentNotAccepted]
    case "false schema":
      return [undefined, Wording.argumentNotAccepted]
    case "enum":
      return [undefined, Wording.argumentMustBeOneOf(values(params["allowedValues"]))]
    case "const":
      return [undefined, Wording.argumentMustBeOneOf(values([params["allowedValue"]]))]
    default:
      return [undefined, message]
  }
}

const issue = (error: ErrorObject): Issue => {
  const [below, message] = explain(error)
  const path = error.instancePath.split("/").slice(1).map(Json.pointerKey)
  return { message, path: typeof below === "string" ? [...path, below] : path }
}

// Arguments up to this many UTF-16 units are told of all their faults; larger ones, where that could be millions, of one.
const ALL_FAULTS_UP_TO = 65_536

/**
 * The check, or why the schema cannot be compiled. What passes is the value itself; the schema that is offered is `schema`,
 * untouched. Never throws, neither here nor in `validate`.
 */
export const standard = (schema: JsonObject): Result.Result<StandardSchemaV1, string> => {
  const draft = draftOf(schema)
  const attempt = Result.try({
    try: () => {
      const cleaned = asDraft(schema, draft)
      return { cleaned, check: compile(cleaned, draft, false) }
    },
    catch: (cause) => Wording.schemaNotCompiled(Thrown.text(cause))
  })
  return Result.map(attempt, ({ check, cleaned }) => {
    let checkAll: ValidateFunction | undefined
    const faults = (value: unknown): ReadonlyArray<Issue> => {
      if (check(value)) return []
      const first = check.errors ?? []
      if ((Json.stringify(value)?.length ?? Infinity) > ALL_FAULTS_UP_TO) return first.map(issue)
      checkAll ??= compile(cleaned, draft, true)
      checkAll(value)
      return (checkAll.errors ?? first).map(issue)
    }
    return {
      "~standard": {
        version: 1,
        vendor: "acp-client-tools",
        validate: (value) => {
          try {
            const issues = faults(value)
            return issues.length === 0 ? { value } : { issues }
          } catch (cause) {
            return {
              issues: [{ message: Wording.argumentsNotChecked(Thrown.text(cause)) }]
            }
          }
        }
      }
    }
  })
}
