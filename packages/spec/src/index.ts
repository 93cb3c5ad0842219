/** The client-tools extension of ACP as data: the requirement manifest and the vectors. */
import { readFileSync } from "node:fs"

/** One testable sentence of the requirement manifest. */
export interface Clause {
  /** Line and letter, for example `NAME-1.a`. Stable. */
  readonly id: string
  /** The heading of the specification the clause belongs to. */
  readonly section: string
  /** `spec`: the extension says so; `acp`: ACP v1 does; `decision`: settles what both leave open. */
  readonly level: "spec" | "acp" | "decision"
  /** Who must do it. */
  readonly side: "agent" | "client" | "both"
  readonly sentence: string
  /** Not implemented here yet: the title of the issue that will. */
  readonly pending?: string
}

/** The operations that have vectors, each the name of its file. */
export const operations = [
  "tool-name",
  "tool-set",
  "tool-declaration",
  "discovery-meta",
  "list-result",
  "log-line",
  "call-arguments",
  "call-params",
  "call-result",
  "model-text",
  "cut",
  "go-duration",
  "agent-config",
  "permission",
  "client-definition",
  "argument-check"
] as const

export type Operation = (typeof operations)[number]

/** One pair of input and output; what they mean is said in the file's description. */
export interface VectorCase<Input = unknown, Output = unknown> {
  /** Unique over all files. */
  readonly id: string
  /** The clauses the case proves. */
  readonly requirements: ReadonlyArray<string>
  readonly description: string
  /** As written: may hold `$nest`, see {@link expand}. */
  readonly input: Input
  /** As written: may hold `$nest`, see {@link expand}. */
  readonly output: Output
}

/** All cases of one operation. */
export interface VectorFile<Input = unknown, Output = unknown> {
  readonly operation: Operation
  /** What input and output mean. */
  readonly description: string
  readonly cases: ReadonlyArray<VectorCase<Input, Output>>
}

// Source and build lie one folder below the data alike.
const read = (path: string) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), "utf8"))

/** Every clause, in the order of the manifest. */
export function requirements(): ReadonlyArray<Clause> {
  return read("requirements.json").clauses
}

/** The vectors of one operation. The caller names the types; `schema/vectors.schema.json` says what they are. */
export function vectors<Input = unknown, Output = unknown>(operation: Operation): VectorFile<Input, Output> {
  return read(`vectors/${operation}.json`)
}

interface Nest {
  readonly levels: number
  readonly key: string | ReadonlyArray<string>
  readonly leaf: unknown
}

const isNest = (value: object): value is { readonly $nest: Nest } => Object.keys(value).join() === "$nest"

/**
 * A copy of a case's input or output with every `{"$nest": {"levels", "key", "leaf"}}` written out. The copy can be too
 * deep for `JSON.stringify` and for recursive comparison.
 */
export function expand<A>(value: A): A
export function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => expand(item))
  if (typeof value !== "object" || value === null) return value
  if (isNest(value)) return wrapped(value.$nest)
  // Unlike an assignment, fromEntries makes `__proto__` a key like another.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item)]))
}

function wrapped(nest: Nest): unknown {
  const path = typeof nest.key === "string" ? [nest.key] : nest.key
  let value = expand(nest.leaf)
  for (let level = 0; level < nest.levels; level++) {
    value = path.reduceRight<unknown>((inner, key) => Object.fromEntries([[key, inner]]), value)
  }
  return value
}
