/**
 * A model that says what a script says: for demonstrations and tests. Made by whoever read a script file; one step is one
 * answer to one model request of a session.
 */
import { Wording } from "@acp-client-tools/protocol"
import { Effect, Result, Schema, SchemaIssue, Stream } from "effect"
import { type Model, ModelFailed, type ModelEvent, type ModelRequest } from "./Model.ts"

const ScriptedCall = Schema.Struct({
  /** Absent: the position makes one. */
  id: Schema.optionalKey(Schema.String),
  name: Schema.String,
  /** Any JSON value. */
  arguments: Schema.optionalKey(Schema.Unknown),
  /** Text instead of a value, to be read as JSON: what a real model's mistake looks like. */
  argumentsText: Schema.optionalKey(Schema.String)
})

const Step = Schema.Struct({
  /** A thought, said before the text. */
  thought: Schema.optionalKey(Schema.String),
  /**
   * The text, in one piece. `{{toolResults}}` stands for the texts of the tool results since the last prompt,
   * `{{tools}}` for the tools the model was told of and `{{messages}}` for all it was sent, both as JSON, and
   * `{{systemPrompt}}` for itself.
   */
  text: Schema.optionalKey(Schema.String),
  toolCalls: Schema.optionalKey(Schema.Array(ScriptedCall)),
  stopReason: Schema.optionalKey(Schema.Literals(["length", "refusal"])),
  /** The model fails with this message after what it has said. */
  error: Schema.optionalKey(Schema.String),
  /** The model says no more, and never ends, after what it has said. */
  wait: Schema.optionalKey(Schema.Boolean)
})
type Step = typeof Step.Type

/** A script: `{ steps: [...] }`, in YAML or JSON. */
export const Script = Schema.Struct({ steps: Schema.Array(Step) })
export type Script = typeof Script.Type

const decodeUnknown = Schema.decodeUnknownResult(Script)
const issues = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "UnexpectedKey") return Wording.scriptUnknownKey
    return issue._tag === "MissingKey" ? Wording.scriptMissingKey : SchemaIssue.defaultLeafHook(issue)
  }
})

/** Something wrong in a script. */
export interface Fault {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

/** The script, or all that is wrong with it. */
export const decode = (value: unknown): Result.Result<Script, ReadonlyArray<Fault>> =>
  decodeUnknown(value, { errors: "all", onExcessProperty: "error" }).pipe(
    Result.mapError(({ issue }) =>
      issues(issue).issues.map(({ path = [], message }) => ({ path: path.map(String), message }))
    )
  )

const resultsSinceLastPrompt = ({ messages }: ModelRequest): string =>
  messages
    .slice(messages.findLastIndex((message) => message.role === "user") + 1)
    .flatMap((message) => (message.role === "tool" ? message.results.map(({ text }) => text) : []))
    .join("\n")

/** What the placeholders in a step's text stand for. */
const placeholders: Record<string, (request: ModelRequest) => string> = {
  toolResults: resultsSinceLastPrompt,
  tools: ({ tools }) => JSON.stringify(tools),
  messages: ({ messages }) => JSON.stringify(messages),
  systemPrompt: ({ systemPrompt }) => systemPrompt ?? ""
}

const fillIn = (text: string, request: ModelRequest): string =>
  text.replaceAll(
    /\{\{(toolResults|tools|messages|systemPrompt)\}\}/g,
    (_, name: string) => placeholders[name]?.(request) ?? ""
  )

const events = (step: Step, request: ModelRequest): ReadonlyArray<ModelEvent> => [
  ...(step.thought === undefined ? [] : [{ type: "thought", text: step.thought } as const]),
  ...(step.text === undefined ? [] : [{ type: "text", text: fillIn(step.text, request) } as const]),
  ...(step.toolCalls ?? []).map(({ id, name, arguments: args, argumentsText }, position): ModelEvent => ({
    type: "toolCall",
    id: id ?? `call_${request.index + 1}_${position + 1}`,
    name,
    arguments: argumentsText ?? args
  }))
]

/** The model that follows the script, each session from its beginning. */
export const make = (script: Script): Model => ({
  answer: (request) => {
    const step = script.steps[request.index]
    if (step === undefined) {
      return Stream.fail(
        new ModelFailed({
          message: Wording.scriptEnded(script.steps.length)
        })
      )
    }
    const end =
      step.error !== undefined
        ? Stream.fail(new ModelFailed({ message: step.error }))
        : step.wait === true
          ? Stream.fromEffect(Effect.never)
          : Stream.succeed<ModelEvent>({ type: "finish", reason: step.stopReason ?? "stop" })
    return Stream.concat(Stream.fromIterable(events(step, request)), end)
  }
})
