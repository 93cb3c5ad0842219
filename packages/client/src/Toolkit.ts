/** A client's set of tools: checked as a whole, described for the agent, found by method. Made once, offered to many. */
import {
  type ClientTool,
  Identifiers,
  Json,
  type JsonObject,
  LogLine,
  Thrown,
  ToolSet,
  Wording
} from "@acp-client-tools/protocol"
import { Result, Schema } from "effect"
import type { ToolDefinition } from "./ToolDefinition.ts"
import * as ToolSchema from "./ToolSchema.ts"

/** Where methods come from when a definition names none. */
export const DEFAULT_NAMESPACE = "org.acp-client-tools"

/** Something wrong with one definition of a set. */
export interface Fault {
  /** 0-based place in the set. */
  readonly index: number
  readonly name: string | undefined
  /** The words an agent would skip it with, where it would (CLIENT-1). */
  readonly reason: string
}

const faultLine = ({ index, name, reason }: Fault): string => LogLine.escape(Wording.toolFault(index + 1, name, reason))

/** Definitions that cannot be offered; all that is wrong with them. */
export class InvalidTools extends Schema.TaggedError<InvalidTools>()("InvalidTools", {
  faults: Schema.Array(
    Schema.Struct({ index: Schema.Int, name: Schema.UndefinedOr(Schema.String), reason: Schema.String })
  )
}) {
  override get message(): string {
    return this.faults.map(faultLine).join("\n")
  }
}

/** One tool of a set: how the agent knows it, what its arguments must be, and its handler. */
export interface Entry {
  readonly tool: ClientTool
  readonly schema: ToolSchema.Standard | undefined
  readonly execute: ToolDefinition["execute"]
}

export interface Toolkit {
  /** The tool descriptions as they go on the wire, in the order of definition [Tool description]. */
  readonly descriptions: ReadonlyArray<JsonObject>
  /** The tools by the method of their calls. */
  readonly byMethod: ReadonlyMap<string, Entry>
}

export interface Options {
  /** Reverse-DNS name in front of default methods: `_<namespace>/<name>`. */
  readonly namespace?: string | undefined
}

/** The description on the wire; what a definition leaves out, or leaves undefined, is absent there too. */
const describe = (definition: JsonObject, inputSchema: unknown, namespace: string): JsonObject => {
  const { description, name } = definition
  const method = definition["method"] ?? `_${namespace}/${String(name)}`
  return Object.fromEntries(
    Object.entries({ name, description, method, inputSchema }).filter(([, value]) => value !== undefined)
  )
}

const isExecute = (value: unknown): value is ToolDefinition["execute"] => typeof value === "function"

/** The description as the agent will get it: what a definition says once it was written as JSON. */
const onTheWire = (described: JsonObject): Result.Result<JsonObject, string> => {
  const text = Json.stringify(described)
  return text === undefined ? Result.fail(Wording.schemaNotJson) : Result.succeed(JSON.parse(text))
}

/** A definition on its own: every reason against it, and as much of it as can be made out all the same. */
interface Checked {
  readonly reasons: ReadonlyArray<string>
  readonly tool: ClientTool | undefined
  readonly schema: ToolSchema.Standard | undefined
  readonly execute: ToolDefinition["execute"] | undefined
}

/** What a schema is called elsewhere; a definition with one of these and no `inputSchema` would lose its schema in silence. */
const otherNames = ["parameters", "schema", "input_schema", "inputschema"]

const misnamed = (definition: JsonObject): ReadonlyArray<string> =>
  definition["inputSchema"] === undefined
    ? otherNames.filter((key) => definition[key] !== undefined).map((key) => Wording.keyMeant(key, "inputSchema"))
    : []

const reasonOf = (result: Result.Result<unknown, string>): ReadonlyArray<string> =>
  Result.isFailure(result) ? [result.failure] : []

const read = (definition: JsonObject, namespace: string): Checked => {
  const library = ToolSchema.ofLibrary(definition["inputSchema"])
  const offered = Result.flatMap(library, (schema) =>
    schema === undefined ? Result.succeed(definition["inputSchema"]) : ToolSchema.offered(schema)
  )
  const inputSchema = Result.getOrUndefined(offered)
  const written = onTheWire(describe(definition, inputSchema, namespace))
  // Where the schema cannot be written, the rest is judged without it.
  const described = Result.getOrElse(written, () => describe(definition, undefined, namespace))
  const { skipped, tools } = ToolSet.decode([described])
  const [tool] = tools
  const schema = Result.flatMap(library, (standard) =>
    standard === undefined && tool?.inputSchema !== undefined
      ? ToolSchema.ofJson(tool.inputSchema)
      : Result.succeed(standard)
  )
  const execute = definition["execute"]
  return {
    reasons: [
      ...skipped.map(({ reason }) => reason),
      ...misnamed(definition),
      ...reasonOf(offered),
      ...reasonOf(written),
      ...(Result.isSuccess(library) ? reasonOf(schema) : []),
      ...(described["method"] === Identifiers.LIST_METHOD ? [Wording.methodReserved] : []),
      ...(isExecute(execute) ? [] : [Wording.executeMustBeFunction])
    ],
    tool,
    schema: Result.getOrUndefined(schema),
    execute: isExecute(execute) ? execute.bind(definition) : undefined
  }
}

const refused = (reason: string): Checked => ({
  reasons: [Wording.notAToolDescription(reason)],
  tool: undefined,
  schema: undefined,
  execute: undefined
})

/** A property that throws is a fault like another. */
const checkOne = (definition: unknown, namespace: string): Checked => {
  if (!Json.isObject(definition)) {
    return refused(Wording.mustBe(undefined, Wording.aJsonObject, Json.typeName(definition)))
  }
  try {
    return read(definition, namespace)
  } catch (cause) {
    return refused(Thrown.text(cause, Wording.cannotBeRead))
  }
}

const nameOf = (definition: unknown): string | undefined => {
  try {
    const name: unknown = Json.isObject(definition) ? definition["name"] : undefined
    return typeof name === "string" ? name : undefined
  } catch {
    return undefined
  }
}

/** Throws a TypeError with every reason for which this definition alone cannot be offered; gives its schema. */
export const check = (definition: unknown): { readonly inputSchema: ToolSchema.Standard | undefined } => {
  const { reasons, schema } = checkOne(definition, DEFAULT_NAMESPACE)
  if (reasons.length > 0) throw new TypeError(reasons.join("\n"))
  return { inputSchema: schema }
}

const isTaken = (seen: Set<string>, key: string): boolean => seen.size === seen.add(key).size

/**
 * The set, or all that is wrong with its definitions: each one's own faults, and names and methods used twice. Takes any
 * values, for whoever loads them from somewhere.
 */
export const decode = (
  definitions: ReadonlyArray<unknown>,
  { namespace = DEFAULT_NAMESPACE }: Options = {}
): Result.Result<Toolkit, InvalidTools> => {
  const modelNames = new Set<string>()
  const methods = new Set<string>()
  const faults: Array<Fault> = []
  const entries: Array<Entry> = []
  for (const [index, definition] of definitions.entries()) {
    const name = nameOf(definition)
    const { execute, reasons, schema, tool } = checkOne(definition, namespace)
    const duplicates =
      tool === undefined
        ? []
        : [
            ...(isTaken(modelNames, tool.modelName) ? [Wording.duplicateToolName(tool.modelName)] : []),
            ...(isTaken(methods, tool.method) ? [Wording.duplicateMethod(tool.method)] : [])
          ]
    faults.push(...[...reasons, ...duplicates].map((reason) => ({ index, name, reason })))
    if (tool !== undefined && execute !== undefined) entries.push({ tool, schema, execute })
  }
  if (faults.length > 0) return Result.fail(new InvalidTools({ faults }))
  return Result.succeed({
    descriptions: entries.map(({ tool }) => describe({ ...tool }, tool.inputSchema, namespace)),
    byMethod: new Map(entries.map((entry) => [entry.tool.method, entry]))
  })
}

/** The set, or all that is wrong with its definitions. */
export const make: (
  definitions: ReadonlyArray<ToolDefinition>,
  options?: Options
) => Result.Result<Toolkit, InvalidTools> = decode

/** No tools at all; legal, and offered to nobody. */
export const empty: Toolkit = { descriptions: [], byMethod: new Map() }
