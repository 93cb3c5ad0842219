/** The agent file on disk: YAML in, configuration out, faults with their line (CFG-1, CFG-4). Read by the command line. */
import { readFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { AgentConfig, Cut, Json, LogLine, SystemError, Thrown, Wording } from "@acp-client-tools/protocol"
import { Effect, Result, Schema } from "effect"
import { isNode, LineCounter, parseDocument } from "yaml"

/** A file that cannot be used. The message is whole: file, line, key, value, and what is accepted. */
export class FileFault extends Schema.TaggedError<FileFault>()("FileFault", { message: Schema.String }) {}

/** Reads a text file for the user; `what` names it in the fault: `the agent file`. */
export const readText = (what: string, path: string): Effect.Effect<string, FileFault> =>
  Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => new FileFault({ message: `${path}: cannot read ${what}: ${SystemError.reason(cause)}` })
  })

/** A YAML document as plain data, and the line (from 1) on which a key's value stands. */
export interface Document {
  readonly value: unknown
  readonly lineOf: (path: ReadonlyArray<string>) => number
}

/** Parses YAML, of which JSON is a part. */
export const parse = (path: string, text: string): Result.Result<Document, FileFault> => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" })
  const [error] = document.errors
  if (error !== undefined) {
    const message = error.code === "MULTIPLE_DOCS" ? "there is more than one document" : error.message
    return Result.fail(new FileFault({ message: `${path}:${lines.linePos(error.pos[0]).line}: ${message}` }))
  }
  const lineOf = (keys: ReadonlyArray<string>): number => {
    const node = document.getIn(keys, true)
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
    return keys.length === 0 ? 1 : lineOf(keys.slice(0, -1))
  }
  try {
    return Result.succeed({ value: document.toJS(), lineOf })
  } catch (cause) {
    return Result.fail(new FileFault({ message: `${path}: ${Thrown.text(cause)}` }))
  }
}

const MAX_SHOWN = 80

const shown = (value: unknown): string | undefined => {
  // YAML knows numbers that JSON does not: .inf and .nan.
  const text = value === undefined ? undefined : typeof value === "number" ? `${value}` : Json.stringify(value)
  return text === undefined ? undefined : Cut.cut(text, MAX_SHOWN)
}

export interface AgentFile {
  readonly config: AgentConfig.AgentConfig
  /** Lines for stderr about keys nobody knows. */
  readonly warnings: ReadonlyArray<string>
  /** Where relative paths in the file begin. */
  readonly directory: string
  /** The line a key stands on. */
  readonly lineOf: Document["lineOf"]
}

/** A message about a key of a document. */
export interface KeyMessage {
  readonly path: ReadonlyArray<string>
  readonly text: string
}

/** Messages for a person who has the file open: with its lines, and in their order. */
export const inFile = (
  path: string,
  lineOf: Document["lineOf"],
  messages: ReadonlyArray<KeyMessage>
): ReadonlyArray<string> =>
  messages
    .map((message) => ({ line: lineOf(message.path), text: LogLine.escape(message.text) }))
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, text }) => `${path}:${line}: ${text}`)

const problemText = ({ accepted, path, value }: AgentConfig.Problem): string =>
  Wording.configProblem(AgentConfig.keyName(path), shown(value), accepted)

const unknownKeyText = ({ nearest, path }: AgentConfig.UnknownKey): string =>
  Wording.configUnknownKey(AgentConfig.keyName(path), nearest)

/** The configuration a text holds; `path` is for messages and for relative paths. */
export const decode = (path: string, text: string): Result.Result<AgentFile, FileFault> =>
  parse(path, text).pipe(
    Result.flatMap(({ lineOf, value }) => {
      // An empty file is a file of defaults.
      const { config, unknownKeys } = AgentConfig.decode(value ?? {})
      const unknown = unknownKeys.map((key) => ({ path: key.path, text: unknownKeyText(key) }))
      return config.pipe(
        Result.map((decoded) => ({
          config: decoded,
          warnings: inFile(path, lineOf, unknown),
          directory: dirname(resolve(path)),
          lineOf
        })),
        Result.mapError((problems) => {
          const messages = problems.map((problem) => ({ path: problem.path, text: problemText(problem) }))
          return new FileFault({ message: inFile(path, lineOf, [...messages, ...unknown]).join("\n") })
        })
      )
    })
  )

/** Reads and decodes the agent file. */
export const read = (path: string): Effect.Effect<AgentFile, FileFault> =>
  readText("the agent file", path).pipe(Effect.flatMap((text) => Effect.fromResult(decode(path, text))))
