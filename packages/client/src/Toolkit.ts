/** A client's set of tools: checked as a whole, described for the agent, found by method. Made once, offered to many. */
import {
  type ClientTool,
  type Discovery,
  Identifiers,
  Json,
  type JsonObject,
  LogLine,
  ToolSet,
  Wording
} from "@acp-client-tools/protocol"
import { Result, Schema } from "effect"
import type { ToolDefinition } from "./ToolDefinition.ts"
import * as ToolResult from "./ToolResult.ts"

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

/** One tool of a set: how the agent knows it, and its handler. */
export interface Entry {
  readonly tool: ClientTool
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
  readonly namespace?: string
}

/** The description on the wire; what a definition leaves out, or leaves undefined, is absent there too. */
const describe = (definition: JsonObject, namespace: string): JsonObject => {
  const { description, inputSchema, name } = definition
  const method = definition["method"] ?? `_${namespace}/${String(name)}`
  return Object.fromEntries(
    Object.entries({ name, description, method, inputSchema }).filter(([, value]) => value !== undefined)
  )
}

const isExecute = (value: unknown): value is ToolDefinition["execute"] => typeof value === "function"

/** The description as the agent will get it: what a definition says once it was written as JSON. */
const onTheWire = (described: unknown): unknown => {
  const text = Json.stringify(described)
  return text === undefined ? described : JSON.parse(text)
}

/** A definition on its own: every reason against it, and as much of it as can be made out all the same. */
interface Checked {
  readonly reasons: ReadonlyArray<string>
  readonly tool: ClientTool | undefined
  readonly execute: ToolDefinition["execute"] | undefined
}

const read = (definition: unknown, namespace: string): Checked => {
  const described = onTheWire(Json.isObject(definition) ? describe(definition, namespace) : definition)
  const { skipped, tools } = ToolSet.decode([described])
  const execute: unknown = Json.isObject(definition) ? definition["execute"] : undefined
  return {
    reasons: [
      ...skipped.map(({ reason }) => reason),
      ...(skipped.length === 0 && Json.stringify(described) === undefined ? [Wording.schemaNotJson] : []),
      ...(Json.get(described, "method") === Identifiers.LIST_METHOD ? [Wording.methodReserved] : []),
      ...(Json.isObject(definition) && !isExecute(execute) ? [Wording.executeMustBeFunction] : [])
    ],
    tool: tools[0],
    execute: isExecute(execute) ? execute.bind(definition) : undefined
  }
}

/** A property that throws is a fault like another. */
const checkOne = (definition: unknown, namespace: string): Checked => {
  try {
    return read(definition, namespace)
  } catch (cause) {
    const why = ToolResult.failureText(cause) ?? Wording.cannotBeRead
    return { reasons: [Wording.notAToolDescription(why)], tool: undefined, execute: undefined }
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

/** Throws a TypeError with every reason for which this definition alone cannot be offered. */
export const check = (definition: unknown): void => {
  const { reasons } = checkOne(definition, DEFAULT_NAMESPACE)
  if (reasons.length > 0) throw new TypeError(reasons.join("\n"))
}

const isTaken = (seen: Set<string>, key: string): boolean => seen.size === seen.add(key).size

/**
 * The set, or all that is wrong with its definitions: each one's own faults, and names and methods used twice. Takes any
 * values.
 */
export const make = (
  definitions: ReadonlyArray<unknown>,
  { namespace = DEFAULT_NAMESPACE }: Options = {}
): Result.Result<Toolkit, InvalidTools> => {
  const modelNames = new Set<string>()
  const methods = new Set<string>()
  const faults: Array<Fault> = []
  const entries: Array<Entry> = []
  for (const [index, definition] of definitions.entries()) {
    const name = nameOf(definition)
    const { execute, reasons, tool } = checkOne(definition, namespace)
    const duplicates =
      tool === undefined
        ? []
        : [
            ...(isTaken(modelNames, tool.modelName) ? [Wording.duplicateToolName(tool.modelName)] : []),
            ...(isTaken(methods, tool.method) ? [Wording.duplicateMethod(tool.method)] : [])
          ]
    faults.push(...[...reasons, ...duplicates].map((reason) => ({ index, name, reason })))
    if (tool !== undefined && execute !== undefined) entries.push({ tool, execute })
  }
  if (faults.length > 0) return Result.fail(new InvalidTools({ faults }))
  return Result.succeed({
    descriptions: entries.map(({ tool }) => describe({ ...tool }, namespace)),
    byMethod: new Map(entries.map((entry) => [entry.tool.method, entry]))
  })
}

/** No tools at all; legal, and offered to nobody. */
export const empty: Toolkit = { descriptions: [], byMethod: new Map() }

/**
 * What to put into `clientCapabilities._meta` of `initialize`: the list in mode `meta`, `true` in mode `request` (META-1,
 * REQ-1). A client without tools says nothing.
 */
export const capabilityMeta = ({ descriptions }: Toolkit, discovery: Discovery.Mode): JsonObject =>
  descriptions.length === 0 ? {} : { [Identifiers.TOOLS_META_KEY]: discovery === "meta" ? descriptions : true }
