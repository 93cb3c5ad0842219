/**
 * A model of the AI SDK's provider interface as the reference agent's Model. Made by whoever has a provider's model: any
 * package that implements version 2, 3 or 4 of the interface serves.
 */
import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Message,
  LanguageModelV2StreamPart,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
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
import * as RefusedTool from "./RefusedTool.ts"
import * as ToolAlias from "./ToolAlias.ts"

/** A provider's model, of any version that this adapter knows. */
export type LanguageModel = LanguageModelV4 | LanguageModelV3 | LanguageModelV2

/** What is said alike in every version. */
type CallOptions = LanguageModelV4CallOptions & LanguageModelV3CallOptions & LanguageModelV2CallOptions
type PromptMessage = LanguageModelV4Message & LanguageModelV3Message & LanguageModelV2Message
type StreamPart = LanguageModelV4StreamPart | LanguageModelV3StreamPart | LanguageModelV2StreamPart

export const specificationVersions: ReadonlyArray<string> = ["v2", "v3", "v4"]

/** True for what a package made whose types nobody has checked. */
export const isLanguageModel = (value: unknown): value is LanguageModel =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  specificationVersions.includes(`${Reflect.get(value, "specificationVersion")}`) &&
  typeof Reflect.get(value, "doStream") === "function"

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

const toPromptMessages = (message: Message, { toProvider }: ToolAlias.ToolAlias): ReadonlyArray<PromptMessage> => {
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

type FunctionTool = Extract<NonNullable<CallOptions["tools"]>[number], { type: "function" }>

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

const toCallOptions = (request: ModelRequest, alias: ToolAlias.ToolAlias, abortSignal: AbortSignal): CallOptions => ({
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

/** Version 2 has no reason but the unified one. */
const finishOf = (part: Extract<StreamPart, { type: "finish" }>) =>
  typeof part.finishReason === "string" ? { unified: part.finishReason, raw: undefined } : part.finishReason

const toEvents = (
  part: StreamPart,
  { toName }: ToolAlias.ToolAlias
): Stream.Stream<ModelEvent, ProviderFailure.ProviderFailure> => {
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
      return Stream.fail(ProviderFailure.from(part.error))
    case "finish": {
      const { raw, unified } = finishOf(part)
      const reason = brokenOff.has(raw) ? undefined : finishReasons.get(unified)
      return reason === undefined
        ? Stream.fail(ProviderFailure.lasting(Wording.modelEndedWith(raw ?? unified)))
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
  languageModel: LanguageModel,
  request: ModelRequest,
  toolNameLimit: number,
  abort: AbortController
) {
  yield* Effect.addFinalizer(() => Effect.sync(() => abort.abort()))
  const alias = ToolAlias.make(namesIn(request), toolNameLimit)
  const failed = (failure: ProviderFailure.ProviderFailure): ModelFailed =>
    new ModelFailed({ message: RefusedTool.named(failure, request.tools, alias) })
  const { stream } = yield* Effect.tryPromise({
    try: async (): Promise<{ readonly stream: ReadableStream<StreamPart> }> =>
      await languageModel.doStream(toCallOptions(request, alias, abort.signal)),
    catch: ProviderFailure.from
  }).pipe(Effect.retry(ProviderFailure.retry), Effect.mapError(failed))
  return Stream.fromReadableStream({
    evaluate: () => abortable(stream, abort),
    onError: ProviderFailure.from
  }).pipe(
    Stream.flatMap((part) => toEvents(part, alias)),
    Stream.mapError(failed)
  )
})

/**
 * The Model over a provider's model. A request that is not answered is repeated where that may help, as
 * ProviderFailure.retry has it; an answer that has begun never is. Interruption aborts the request to the provider.
 */
export const toModel = (languageModel: LanguageModel, { toolNameLimit = ToolAlias.LIMIT }: Options = {}): Model => ({
  answer: (request) =>
    Stream.unwrap(Effect.suspend(() => ask(languageModel, request, toolNameLimit, new AbortController())))
})
