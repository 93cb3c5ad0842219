import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { isObject, show } from "./Json.ts"
import type { Json, JsonObject } from "./Json.ts"
import { check, plain, references, TranscriptError } from "./Matcher.ts"

/** The side under test. The runner plays the other one. */
export type Side = "agent" | "client"

/** What a fixture tool does when it is called. The conformance README says each in words. */
export type Behaviour =
  | { readonly return: Json }
  | { readonly returnArguments: true }
  | { readonly throw: string }
  | { readonly never: true }
  | { readonly waitFor: string }
  | { readonly special: "bigint" | "cycle" | "function" | "symbol" | "undefined" | "throwing-toJSON" | "huge" }
  | { readonly writeStdout: string }

/** A tool the client under test offers. */
export interface FixtureTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema?: JsonObject
  readonly method?: string
  readonly behaviour: Behaviour
}

/** What an agent under test is started with. */
export interface AgentSetup {
  /** The agent file as an object. The runner adds `model` and `sessions.directory` where they are absent. */
  readonly config?: JsonObject
  /** The steps of the scripted model, one per model request. */
  readonly script?: ReadonlyArray<JsonObject>
}

/** What a client under test is started with. */
export interface ClientSetup {
  readonly tools?: ReadonlyArray<FixtureTool>
  readonly prompt?: string
  /** Further flags, such as `--permission deny`. */
  readonly args?: ReadonlyArray<string>
  /** What stands on the client's stdin, which ends after it. */
  readonly stdin?: string
  /** `missing`: there is no such command. `stubborn`: it outlives the end of its stdin and SIGTERM. */
  readonly agent?: "missing" | "stubborn"
}

/** What every step may have beside its one kind. */
export interface StepBase {
  /** For the reader. */
  readonly note?: string
  /** The deadline of this step, instead of the transcript's. */
  readonly timeoutMs?: number
}

/** The kinds of steps, each with its argument. */
export interface Steps {
  readonly send: Json
  readonly sendTogether: ReadonlyArray<Json>
  readonly sendRaw: string | { readonly base64: string }
  readonly sendStderr: string
  readonly expect: Json
  readonly expectInAnyOrder: ReadonlyArray<Json>
  readonly expectNothing: true
  readonly expectStderr: Json
  readonly expectNoStderr: Json
  readonly expectStdout: Json
  readonly expectClose: true
  readonly expectExit: Json
  readonly close: true
  readonly signal: "SIGINT" | "SIGTERM" | "SIGHUP"
  readonly exitAgent: number
}

/** The name of a kind of step. */
export type Kind = keyof Steps

/** One step: exactly one kind. */
export type Step = { readonly [K in Kind]: StepBase & { readonly [P in K]: Steps[P] } }[Kind]

interface Base {
  readonly $schema?: string
  readonly id: string
  /** The clauses of the requirement manifest that this conversation shows; empty when it shows plain ACP. */
  readonly requirements: ReadonlyArray<string>
  readonly description: string
  /** Messages that may come at any time and count for nothing. */
  readonly ignore?: ReadonlyArray<Json>
  /** The deadline of every wait; 5000 when absent. */
  readonly timeoutMs?: number
  /** Do not mind what the peer still sends after the last step. */
  readonly allowTrailing?: boolean
  readonly steps: ReadonlyArray<Step>
}

/** A wire conversation with one side under test. */
export type Transcript =
  | (Base & { readonly side: "agent"; readonly setup: AgentSetup })
  | (Base & { readonly side: "client"; readonly setup: ClientSetup })

type Rule = (argument: Json) => boolean

const isTrue: Rule = (argument) => argument === true
const isText: Rule = (argument) => typeof argument === "string"
const isList: Rule = (argument) => Array.isArray(argument) && argument.length > 0
const isCount: Rule = (argument) => typeof argument === "number" && Number.isInteger(argument) && argument >= 0
const isPattern: Rule = (argument) => {
  check(argument)
  return true
}

const kinds: { readonly [K in Kind]: Rule } = {
  send: () => true,
  sendTogether: isList,
  sendRaw: (argument) => isText(argument) || (isObject(argument) && isText(argument["base64"] ?? null)),
  sendStderr: isText,
  expect: isPattern,
  expectInAnyOrder: (argument) => isList(argument) && isPattern(argument),
  expectNothing: isTrue,
  expectStderr: isPattern,
  expectNoStderr: isPattern,
  expectStdout: isPattern,
  expectClose: isTrue,
  expectExit: isPattern,
  close: isTrue,
  signal: (argument) => argument === "SIGINT" || argument === "SIGTERM" || argument === "SIGHUP",
  exitAgent: isCount
}

const clientOnly: ReadonlyArray<string> = ["sendStderr", "expectStdout", "exitAgent"]

const members: Record<string, Rule> = {
  $schema: isText,
  id: isText,
  side: (argument) => argument === "agent" || argument === "client",
  requirements: Array.isArray,
  description: isText,
  setup: isObject,
  ignore: (argument) => Array.isArray(argument) && isPattern(argument),
  timeoutMs: isCount,
  allowTrailing: (argument) => typeof argument === "boolean",
  steps: isList
}

const setups: Record<Side, Record<string, Rule>> = {
  agent: { config: isObject, script: Array.isArray },
  client: {
    tools: Array.isArray,
    prompt: isText,
    args: Array.isArray,
    stdin: isText,
    agent: (argument) => argument === "missing" || argument === "stubborn"
  }
}

const checkMembers = (value: JsonObject, rules: Record<string, Rule>, where: string): void => {
  for (const [key, argument] of Object.entries(value)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined
    if (rule === undefined) throw new TranscriptError(`${where}: unknown key "${key}"`)
    if (!rule(argument)) throw new TranscriptError(`${where}: ${key} cannot be ${show(argument, 200)}`)
  }
}

const isKind = (key: string): key is Kind => Object.hasOwn(kinds, key)

/** The kind of a step. */
export const kindOf = (step: Step): Kind | undefined => Object.keys(step).find(isKind)

const checkStep = (step: Json, side: Side, where: string): void => {
  if (!isObject(step)) throw new TranscriptError(`${where}: a step is an object`)
  checkMembers(step, { ...kinds, note: isText, timeoutMs: isCount }, where)
  const found = Object.keys(step).filter(isKind)
  if (found.length !== 1) throw new TranscriptError(`${where}: exactly one kind, not ${show(found)}`)
  if (side === "agent" && clientOnly.includes(found[0] ?? "")) {
    throw new TranscriptError(`${where}: ${found[0]} is for transcripts with the client under test`)
  }
}

/** The names that a part of a transcript saves (`$save`) or uses (`$ref`, and `${name}` in texts). */
const names = (part: Json | undefined, key: "$save" | "$ref"): ReadonlyArray<string> => {
  if (typeof part === "string") return key === "$ref" ? references(part) : []
  if (Array.isArray(part)) return part.flatMap((item) => names(item, key))
  if (!isObject(part) || "$literal" in part) return []
  return Object.entries(part).flatMap(([at, value]) => (at === key ? [plain(value)] : names(value, key)))
}

const checkNames = (steps: ReadonlyArray<Json>, name: string): void => {
  const saved = new Set(["dir"])
  for (const [index, step] of steps.entries()) {
    const told = isObject(step) ? { ...step, note: null } : null
    for (const one of names(told, "$save")) saved.add(one)
    const unknown = names(told, "$ref").find((one) => !saved.has(one))
    if (unknown === undefined) continue
    throw new TranscriptError(`${name}: step ${index + 1}: nothing is saved as "${unknown}" before`)
  }
}

/** Throws a {@link TranscriptError} that says what is wrong, unless the value is a transcript. */
export function assertTranscript(value: unknown): asserts value is Transcript {
  if (!isObject(value)) throw new TranscriptError("a transcript is a JSON object")
  const { id, side, setup, steps } = value
  const name = typeof id === "string" ? id : "transcript"
  checkMembers(value, members, name)
  for (const key of ["id", "side", "requirements", "description", "setup", "steps"]) {
    if (!Object.hasOwn(value, key)) throw new TranscriptError(`${name}: "${key}" is missing`)
  }
  const tested = side === "client" ? "client" : "agent"
  if (isObject(setup)) checkMembers(setup, setups[tested], `${name}: setup`)
  if (!Array.isArray(steps)) return
  for (const [index, step] of steps.entries()) checkStep(step, tested, `${name}: step ${index + 1}`)
  checkNames(steps, name)
}

/** A transcript from parsed JSON; throws a {@link TranscriptError} that says what is wrong with it. */
export const decode = (value: unknown): Transcript => {
  assertTranscript(value)
  return value
}

/** Reads a transcript from its file. */
export const load = (file: string): Transcript => {
  try {
    return decode(JSON.parse(readFileSync(file, "utf8")))
  } catch (error) {
    throw new TranscriptError(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The transcripts that come with the specification, for one side, by file name. */
export const transcripts = (side: Side): ReadonlyArray<Transcript> => {
  const spec = dirname(createRequire(import.meta.url).resolve("@acp-client-tools/spec/package.json"))
  const folder = join(spec, "transcripts", side)
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"))
  return files.toSorted().map((name) => load(join(folder, name)))
}
