/**
 * The schema of a tool's arguments, in whatever style it was written: an Effect schema, a schema of any library with the
 * Standard JSON Schema interface, or raw JSON Schema. Made one here, for Toolkit and ClientTool; recognised by its shape
 * (CLIENT-3).
 */
import { Json, type JsonObject, Thrown, Wording } from "@acp-client-tools/protocol"
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { Effect, Result, Schema, SchemaAST, SchemaIssue } from "effect"
import * as JsonSchemaCheck from "./JsonSchemaCheck.ts"

/**
 * A schema that decodes arguments and knows the JSON Schema of its input: the interfaces StandardSchemaV1 and
 * StandardJSONSchemaV1 of `@standard-schema/spec` 1.1. Zod 4 and ArkType have both; Valibot through `toStandardJsonSchema` of
 * `@valibot/to-json-schema`.
 */
export interface Standard<In = unknown, Out = In> {
  readonly "~standard": StandardSchemaV1.Props<In, Out> & StandardJSONSchemaV1.Props<In, Out>
}

/** A `Schema` of Effect that needs no services to decode. */
export interface EffectSchema<A = unknown> {
  readonly "~effect/Schema/Schema": "~effect/Schema/Schema"
  readonly Type: A
  readonly DecodingServices: never
}

/** Raw JSON Schema in a type of its own, such as `JSONSchema7`; none of a library. */
export interface RawSchema {
  readonly type?: unknown
  readonly properties?: unknown
  readonly "~standard"?: never
}

/** What a definition may have as `inputSchema`. */
export type ToolSchema = JsonObject | RawSchema | Standard | EffectSchema

/** What a handler gets: what the schema decodes to, or a JSON object for raw JSON Schema and for no schema. */
export type Arguments<S> =
  S extends EffectSchema<infer A> ? A : S extends StandardSchemaV1<any, infer Out> ? Out : JsonObject

const member = (value: unknown, key: string): unknown =>
  (typeof value === "object" && value !== null) || typeof value === "function" ? Reflect.get(value, key) : undefined

const isStandard = (value: unknown): value is Standard => {
  const standard = member(value, "~standard")
  return (
    typeof member(standard, "validate") === "function" &&
    typeof member(member(standard, "jsonSchema"), "input") === "function"
  )
}

type Decoder = Schema.ConstraintDecoder<unknown> & Schema.Top

const isEffect = (value: unknown): value is Decoder => Schema.isSchema(value)

// What every node of a schema made by our copy of `effect` inherits from. Nodes of two copies cannot decode together.
const ownNode: object = Object.getPrototypeOf(SchemaAST.Objects.prototype)

const isOfOtherCopy = ({ ast }: Decoder): boolean => !Object.prototype.isPrototypeOf.call(ownNode, ast)

const DEFINITIONS = "#/$defs/"

/** The schema a root `$ref` stands for, in its place: what a model's provider looks for is at the root. */
const withoutRootReference = (schema: Record<string, unknown>): Record<string, unknown> => {
  if (!Json.isObject(schema)) return schema
  const { $defs, $ref, ...rest } = schema
  const name = typeof $ref === "string" && $ref.startsWith(DEFINITIONS) ? $ref.slice(DEFINITIONS.length) : undefined
  const root = name === undefined ? undefined : Json.get($defs, Json.pointerKey(name))
  if (!Json.isObject(root)) return schema
  const inlined = { ...rest, ...root }
  return Json.stringify(inlined)?.includes(`"${DEFINITIONS}`) === true ? { ...inlined, $defs } : inlined
}

/** The schema of another library, offered as ours are. */
const ofStandard = ({ "~standard": standard }: Standard): Standard => ({
  "~standard": {
    version: standard.version,
    vendor: standard.vendor,
    validate: (value) => standard.validate(value),
    jsonSchema: {
      input: (target) => withoutRootReference(standard.jsonSchema.input(target)),
      output: (target) => standard.jsonSchema.output(target)
    }
  }
})

const faultsOf = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Arguments come as JSON: a date as its text, a set as an array. What is offered says the same. A decoding that throws rejects,
 * where Effect's own `toStandardSchemaV1` would make its stack a fault for the model to read.
 */
const ofEffect = (schema: Decoder): Standard => {
  const codec = Schema.toCodecJson(schema)
  const decode = Schema.decodeUnknownEffect(codec, { errors: "all" })
  const { "~standard": standard } = Schema.toStandardJSONSchemaV1(codec)
  return {
    "~standard": {
      ...standard,
      jsonSchema: {
        input: (target) => withoutRootReference(standard.jsonSchema.input(target)),
        output: standard.jsonSchema.output
      },
      validate: async (value) => {
        const result = await Effect.runPromise(Effect.result(decode(value)))
        return Result.isSuccess(result) ? { value: result.success } : faultsOf(result.failure.issue)
      }
    }
  }
}

/** Raw JSON Schema with the check it needs, or why it cannot be compiled. */
export const ofJson = (schema: JsonObject): Result.Result<Standard, string> =>
  Result.map(JsonSchemaCheck.standard(schema), (check) => ({
    "~standard": { ...check["~standard"], jsonSchema: { input: () => schema, output: () => schema } }
  }))

/**
 * The schema of a library, Effect's included, or why it cannot be used. `undefined` for what is no schema of a library: raw
 * JSON Schema, none at all, or something else that cannot be offered.
 */
export const ofLibrary = (inputSchema: unknown): Result.Result<Standard | undefined, string> => {
  if (isStandard(inputSchema)) return Result.succeed(ofStandard(inputSchema))
  if (isEffect(inputSchema)) {
    return isOfOtherCopy(inputSchema) ? Result.fail(Wording.schemaOfOtherEffect) : Result.succeed(ofEffect(inputSchema))
  }
  if (member(inputSchema, "~standard") !== undefined) {
    return Result.fail(Wording.schemaHasNoJson(Wording.schemaNotStandardJson))
  }
  if (
    Json.isObject(inputSchema) &&
    Object.values(inputSchema).some((value) => member(value, "~standard") !== undefined)
  ) {
    return Result.fail(Wording.schemaIsShape)
  }
  return typeof inputSchema === "function"
    ? Result.fail(Wording.notAToolDescription(Wording.mustBe("inputSchema", Wording.aJsonObject, "function")))
    : Result.succeed(undefined)
}

/** The JSON Schema of the input, as it is offered; or why there is none. Never throws. */
export const offered = (schema: Standard): Result.Result<unknown, string> =>
  Result.try({
    try: () => {
      const input: unknown = schema["~standard"].jsonSchema.input({ target: "draft-2020-12" })
      if (Json.isObject(input) && typeof input["then"] !== "function") return input
      throw new Error(Wording.mustBe("the schema", Wording.aJsonObject, Json.typeName(input)))
    },
    catch: (cause) => Wording.schemaHasNoJson(Thrown.text(cause))
  })

/** How many faults a model is told. */
const MAX_FAULTS = 20

const place = ({ path = [] }: StandardSchemaV1.Issue): string =>
  // Not `path.map`: the path of a library may be an array of a kind of its own.
  Array.from(path, (part) => String(typeof part === "object" ? part.key : part)).join(".")

/** What the model reads of faults in its arguments (CLIENT-3). */
export const faultsText = (issues: ReadonlyArray<StandardSchemaV1.Issue>): string => {
  const told = issues.slice(0, MAX_FAULTS).map((issue) => Wording.argumentFault(place(issue), issue.message))
  return Wording.invalidArguments(told, issues.length - told.length)
}
