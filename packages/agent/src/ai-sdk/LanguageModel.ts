/**
 * A model of the AI SDK's provider interface as the reference agent's Model. Made by whoever has a provider's model: any
 * package that implements `LanguageModelV4` serves.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart
} from "@ai-sdk/provider"
import { type ToolDeclaration, Wording } from "@acp-client-tools/protocol"
import { Effect, Stream } from "effect"
import type { Message } from "../reference/History.ts"
import { type FinishReason, type Model, type ModelEvent, ModelFailed, type ModelRequest } from "../reference/Model.ts"
import * as ProviderFailure from "./ProviderFailure.ts"
import * as ToolAlias from "./ToolAlias.ts"

export interface Options {
  /** How many characters of a tool's name the provider takes (NAME-3). 64 when absent, at least 16. */
  readonly toolNameLimit?: number | undefined
}

/** Every name a request mentions, those of calls whose tools are gone included. */
const namesIn = ({ messages, tools }: ModelRequest): ReadonlyArray<string> => [
  ...tools.map(({ name }) => name),
  ...messages.flatMap((message) => {
    switch (message.role) {
      case "user":
        return []
      case "assistant":
        return message.toolCalls.map(({ name }) => name)
      case "tool":
        return message.results.map(({ name }) => name)
    }
  })
]

const toPromptMessages = (
  message: Message,
  { toProvider }: ToolAlias.ToolAlias
): ReadonlyArray<LanguageModelV4Message> => {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: [{ type: "text", text: message.text }] }]
    case "assistant": {
      const content = [
        ...(message.text === "" ? [] : [{ type: "text", text: message.text } as const]),
        ...message.toolCalls.map(
          (call) =>
            ({
              type: "tool-call",
              toolCallId: call.id,
              toolName: toProvider(call.name),
              input: call.arguments
            }) as const
        )
      ]
      return [{ role: "assistant", content }]
    }
    case "tool":
      return [
        {
          role: "tool",
          content: message.results.map((result) => ({
            type: "tool-result",
            toolCallId: result.id,
            toolName: toProvider(result.name),
            output: { type: result.failed ? "error-text" : "text", value: result.text }
          }))
        }
      ]
  }
}

type FunctionTool = Extract<NonNullable<LanguageModelV4CallOptions["tools"]>[number], { type: "function" }>

const toFunctionTool = (
  { name, description, parameters }: ToolDeclaration.ToolDeclaration,
  { toProvider }: ToolAlias.ToolAlias
): FunctionTool => ({
  type: "function",
  name: toProvider(name),
  description,
  inputSchema: parameters
})

/** Many chat templates take no two messages of the user in a row, which a cancelled or failed turn leaves behind. */
const joined = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> =>
  messages.reduce<Array<Message>>((all, message) => {
    const last = all.at(-1)
    if (last?.role === "user" && message.role === "user") {
      all[all.length - 1] = { role: "user", text: `${last.text}\n\n${message.text}` }
    } else all.push(message)
    return all
  }, [])

const toCallOptions = (
  request: ModelRequest,
  alias: ToolAlias.ToolAlias,
  abortSignal: AbortSignal
): LanguageModelV4CallOptions => ({
  prompt: [
    ...(request.systemPrompt === undefined ? [] : [{ role: "system", content: request.systemPrompt } as const]),
    ...joined(request.messages).flatMap((message) => toPromptMessages(message, alias))
  ],
  ...(request.tools.length === 0 ? {} : { tools: request.tools.map((tool) => toFunctionTool(tool, alias)) }),
  abortSignal
})

const finishReasons = new Map<string, FinishReason>([
  ["stop", "stop"],
  ["tool-calls", "stop"],
  ["other", "stop"],
  ["length", "length"],
  ["content-filter", "refusal"]
])

/** What a server that gave up calls it; it is no end of an answer. */
const brokenOff: ReadonlySet<unknown> = new Set(["abort", "error"])

const failed = ({ message }: ProviderFailure.ProviderFailure): ModelFailed => new ModelFailed({ message })

const toEvents = (
  part: LanguageModelV4StreamPart,
  { toName }: ToolAlias.ToolAlias
): Stream.Stream<ModelEvent, ModelFailed> => {
  switch (part.type) {
    case "text-delta":
      return Stream.succeed({ type: "text", text: part.delta })
    case "reasoning-delta":
      return Stream.succeed({ type: "thought", text: part.delta })
    case "tool-call":
      return Stream.succeed({
        type: "toolCall",
        id: part.toolCallId,
        name: toName(part.toolName),
        arguments: part.input
      })
    case "error":
      return Stream.fail(failed(ProviderFailure.from(part.error)))
    case "finish": {
      const { raw, unified } = part.finishReason
      const reason = brokenOff.has(raw) ? undefined : finishReasons.get(unified)
      return reason === undefined
        ? Stream.fail(new ModelFailed({ message: Wording.modelEndedWith(raw ?? unified) }))
        : Stream.succeed({ type: "finish", reason })
    }
    default:
      return Stream.empty
  }
}

/** The same stream. Who turns away from it aborts the request first, and does not wait for what the provider makes of that. */
const abortable = <A>(stream: ReadableStream<A>, abort: AbortController): ReadableStream<A> => {
  const reader = stream.getReader()
  return new ReadableStream<A>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => {
        abort.abort()
        reader.cancel().catch(() => undefined)
      }
    },
    { highWaterMark: 0 }
  )
}

/** Asks for an answer, which `abort` ends. */
const ask = Effect.fnUntraced(function* (
  languageModel: LanguageModelV4,
  request: ModelRequest,
  toolNameLimit: number,
  abort: AbortController
) {
  yield* Effect.addFinalizer(() => Effect.sync(() => abort.abort()))
  const alias = ToolAlias.make(namesIn(request), toolNameLimit)
  const { stream } = yield* Effect.tryPromise({
    try: () => Promise.resolve(languageModel.doStream(toCallOptions(request, alias, abort.signal))),
    catch: ProviderFailure.from
  }).pipe(Effect.retry(ProviderFailure.retry), Effect.mapError(failed))
  return Stream.fromReadableStream({
    evaluate: () => abortable(stream, abort),
    onError: (error) => failed(ProviderFailure.from(error))
  }).pipe(Stream.flatMap((part) => toEvents(part, alias)))
})

/**
 * The Model over a provider's model. A request that is not answered is repeated where that may help, as
 * ProviderFailure.retry has it; an answer that has begun never is. Interruption aborts the request to the provider.
 */
export const toModel = (languageModel: LanguageModelV4, { toolNameLimit = ToolAlias.LIMIT }: Options = {}): Model => ({
  answer: (request) =>
    Stream.unwrap(Effect.suspend(() => ask(languageModel, request, toolNameLimit, new AbortController())))
})
