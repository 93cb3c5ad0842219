/** The agent file, decoded [Configuration]. Called by whoever read the file; YAML and line numbers are the reader's part. */
import { Effect, Result, Schema, SchemaIssue } from "effect"
import { distance } from "fastest-levenshtein"
import { Mode } from "./Discovery.ts"
import * as GoDuration from "./GoDuration.ts"
import * as Json from "./Json.ts"
import * as Wording from "./Wording.ts"

const mapping = "a mapping of keys to values"
const or = <S extends Schema.Constraint>(schema: S, value: S["Encoded"]) =>
  Schema.withDecodingDefaultKey<S>(Effect.succeed(value))(schema)

const Switch = Schema.Boolean.annotate({ expected: "true or false" })
const Text = Schema.String.annotate({ expected: "a text" })
const Path = Schema.declare((value): value is string => typeof value === "string" && value !== "", {
  expected: "a path"
})
const Count = Schema.declare((value): value is number => Number.isSafeInteger(value) && Number(value) >= 1, {
  expected: "a whole number, at least 1"
})
const NameLimit = Schema.declare((value): value is number => Number.isSafeInteger(value) && Number(value) >= 16, {
  expected: "a whole number, at least 16"
})

/** A package, or a part of one behind a slash, as `import` takes it; the built-in providers look like one as well. */
const Provider = Schema.declare(
  (value): value is string =>
    typeof value === "string" &&
    /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(?:\/[a-z0-9~-][a-z0-9._~-]*)*$/.test(value),
  { expected: Wording.configProvider }
)
const Settings = Schema.declare(Json.isObject, { expected: mapping })

/** CFG-1: the four keys of the extension. */
const ClientTools = Schema.Struct({
  /** `false`: the extension is off (CFG-2). */
  enabled: or(Switch, true),
  discovery: or(Mode.annotate({ expected: '"meta" or "request"' }), "meta"),
  /** `auto`: calls ask for permission only while `yolo` is off. `ask`: every call asks (PERM-1). */
  permissions: or(Schema.Literals(["auto", "ask"]).annotate({ expected: '"auto" or "ask"' }), "auto"),
  /** Bound of one tool call and of the list request. */
  timeout: or(GoDuration.GoDuration, "30s")
})

const Acp = Schema.Struct({ clientTools: or(ClientTools, {}) })

const LoopDetector = Schema.Struct({
  /** From how many identical calls with identical answers on the result carries a note (LOOP-2). */
  flagAfter: or(Count, 3),
  /** At how many the turn stops (LOOP-2). Not smaller than `flagAfter`. */
  stopAfter: or(Count, 5)
})

const Sessions = Schema.Struct({
  /** Where session files are kept. */
  directory: Schema.optionalKey(Path)
})

const Model = Schema.Struct({
  /** `script`, `openai-compatible`, or the package of a provider of the AI SDK. */
  provider: Provider,
  /** The provider's name of the model. */
  name: Schema.optionalKey(Text),
  /** The address of the API, for `openai-compatible`. */
  baseUrl: Schema.optionalKey(Text),
  /** The environment variable that holds the API key. The key itself never stands in the file. */
  apiKeyEnv: Schema.optionalKey(Text),
  /** What the provider's package is given beside these: headers, a region. Never a key. */
  options: Schema.optionalKey(Settings),
  /** How many characters of a tool's name the provider takes (NAME-3). 64 when absent. */
  toolNameLimit: Schema.optionalKey(NameLimit),
  /** The script file, for `script`. Relative to the agent file. */
  script: Schema.optionalKey(Text)
})

/** The agent file with the defaults of CFG-1 filled in. */
export const AgentConfig = Schema.Struct({
  acp: or(Acp, {}),
  /** `true`: tools run without asking, unless `acp.clientTools.permissions` is `ask`. */
  yolo: or(Switch, false),
  /** `false`: the agent has no tools of its own, only those of the client and of MCP servers (OWN-2). */
  builtInTools: or(Switch, true),
  /** How many code points the model reads of one result (CUT-1). */
  maxOutput: or(Count, 16_000),
  loopDetector: or(LoopDetector, {}),
  /** How many model requests one prompt turn may make (TURN-4). */
  maxTurnRequests: or(Count, 50),
  systemPrompt: Schema.optionalKey(Text),
  sessions: or(Sessions, {}),
  model: Schema.optionalKey(Model)
})
export type AgentConfig = typeof AgentConfig.Type
export type ModelConfig = typeof Model.Type

const knownKeys: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["", Object.keys(AgentConfig.fields)],
  ["acp", Object.keys(Acp.fields)],
  ["acp.clientTools", Object.keys(ClientTools.fields)],
  ["loopDetector", Object.keys(LoopDetector.fields)],
  ["sessions", Object.keys(Sessions.fields)],
  ["model", Object.keys(Model.fields)]
])

/** A value that cannot be used (CFG-4). */
export interface Problem {
  readonly path: ReadonlyArray<string>
  /** What the file says; `undefined` when a key is missing. */
  readonly value: unknown
  /** What would be accepted, in words. */
  readonly accepted: string
}

/** A key nobody knows (CFG-4). */
export interface UnknownKey {
  readonly path: ReadonlyArray<string>
  /** The known key, dotted, that looks most like it, if one does: beside it, or of its name elsewhere. */
  readonly nearest: string | undefined
}

export interface Decoded {
  /** The configuration with its defaults, or everything that is wrong. */
  readonly config: Result.Result<AgentConfig, ReadonlyArray<Problem>>
  readonly unknownKeys: ReadonlyArray<UnknownKey>
}

/** The dotted name of a key: `acp.clientTools.timeout`. */
export const keyName = (path: ReadonlyArray<string>): string => path.join(".")

const valueAt = (value: unknown, path: ReadonlyArray<string>): unknown => path.reduce<unknown>(Json.get, value)

const MAX_NEAREST_DISTANCE = 3

const allKeys = (): ReadonlyArray<ReadonlyArray<string>> =>
  [...knownKeys].flatMap(([parent, keys]) => keys.map((key) => [...(parent === "" ? [] : parent.split(".")), key]))

const nearest = (path: ReadonlyArray<string>): string | undefined => {
  const key = path.at(-1) ?? ""
  const parent = keyName(path.slice(0, -1))
  const [best] = allKeys()
    .map((known) => {
      const name = known.at(-1) ?? ""
      const isBeside = keyName(known.slice(0, -1)) === parent
      return { known, name, isBeside, away: distance(key.toLowerCase(), name.toLowerCase()) }
    })
    .filter(({ away, isBeside, name }) =>
      isBeside ? away <= Math.min(MAX_NEAREST_DISTANCE, name.length / 2) : away === 0
    )
    .toSorted((a, b) => Number(b.isBeside) - Number(a.isBeside) || a.away - b.away)
  return best && keyName(best.known)
}

const UNEXPECTED = "unexpected"
const expectedIn = (annotations: { readonly [key: string]: unknown } | undefined): string | undefined => {
  const expected = annotations?.["expected"]
  return typeof expected === "string" ? expected : undefined
}
const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "UnexpectedKey") return UNEXPECTED
    if (issue._tag === "MissingKey") return "a value"
    return expectedIn("ast" in issue ? issue.ast?.annotations : issue.annotations) ?? mapping
  },
  checkHook: (issue) => expectedIn(issue.filter.annotations)
})

interface Issue {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

const issuesOf = (error: Schema.SchemaError): ReadonlyArray<Issue> =>
  formatIssues(error.issue).issues.map(({ message, path = [] }) => ({
    message: message.replace(/^Expected /, ""),
    path: path.map(String)
  }))

const decodeUnknown = Schema.decodeUnknownResult(AgentConfig)

const address = "the address of the API, such as http://127.0.0.1:8080/v1"
/** What a path can be put behind, and what holds no password: that belongs into the environment. */
const isHttpAddress = (text: string): boolean => {
  if (!/^https?:/.test(text) || !URL.canParse(text)) return false
  const { hash, password, search, username } = new URL(text)
  return [hash, password, search, username].every((part) => part === "")
}

/** What each provider needs beside its name. */
const modelName = ["name", "the provider's name of the model"] as const
const neededByProvider = new Map<string, ReadonlyArray<readonly [keyof ModelConfig, string]>>([
  ["script", [["script", "the path of a script file"]]],
  ["openai-compatible", [["baseUrl", address], modelName]]
])

const furtherProblems = (config: AgentConfig): ReadonlyArray<Problem> => [
  ...(config.loopDetector.flagAfter > config.loopDetector.stopAfter
    ? [
        {
          path: ["loopDetector", "flagAfter"],
          value: config.loopDetector.flagAfter,
          accepted: `at most loopDetector.stopAfter (${config.loopDetector.stopAfter})`
        }
      ]
    : []),
  ...(config.model === undefined ? [] : (neededByProvider.get(config.model.provider) ?? [modelName]))
    .filter(([key]) => config.model?.[key] === undefined)
    .map(([key, accepted]) => ({ path: ["model", key], value: undefined, accepted })),
  ...(config.model?.baseUrl === undefined || isHttpAddress(config.model.baseUrl)
    ? []
    : [{ path: ["model", "baseUrl"], value: config.model.baseUrl, accepted: address }]),
  // Told without its value: it may be a key.
  ...(Json.get(config.model?.options, "apiKey") === undefined
    ? []
    : [{ path: ["model", "options", "apiKey"], value: "[secret]", accepted: Wording.configNoKey }])
]

const decodeConfig = (value: unknown): Decoded["config"] => {
  const decoded = decodeUnknown(value, { errors: "all" })
  if (Result.isFailure(decoded)) {
    return Result.fail(
      issuesOf(decoded.failure).map(({ message, path }) => ({ path, value: valueAt(value, path), accepted: message }))
    )
  }
  const problems = furtherProblems(decoded.success)
  return problems.length > 0 ? Result.fail(problems) : Result.succeed(decoded.success)
}

const findUnknownKeys = (value: unknown): ReadonlyArray<UnknownKey> => {
  const strict = decodeUnknown(value, { errors: "all", onExcessProperty: "error" })
  if (Result.isSuccess(strict)) return []
  return issuesOf(strict.failure)
    .filter(({ message }) => message === UNEXPECTED)
    .map(({ path }) => ({ path, nearest: nearest(path) }))
}

/**
 * The configuration with its defaults, or everything that is wrong with it; and the keys nobody knows, which are often
 * why (CFG-1, CFG-4).
 */
export const decode = (value: unknown): Decoded => ({
  config: decodeConfig(value),
  unknownKeys: findUnknownKeys(value)
})
