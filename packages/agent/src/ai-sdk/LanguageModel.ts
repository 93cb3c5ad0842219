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
import { Effect, Predicate, Stream } from "effect"
import type { Message } from "../reference/History.ts"
import { type FinishReason, type Model, type ModelEvent, ModelFailed, type ModelRequest } from "../reference/Model.ts"

const toPromptMessages = (message: Message): ReadonlyArray<LanguageModelV4Message> => {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: [{ type: "text", text: message.text }] }]
    case "assistant": {
      const content = [
        ...(message.text === "" ? [] : [{ type: "text", text: message.text } as const]),
        ...message.toolCalls.map(
          (call) => ({ type: "tool-call", toolCallId: call.id, toolName: call.name, input: call.arguments }) as const
        )
      ]
      // Providers refuse an assistant message with nothing in it.
      return content.length === 0 ? [] : [{ role: "assistant", content }]
    }
    case "tool":
      return [
        {
          role: "tool",
          content: message.results.map((result) => ({
            type: "tool-result",
            toolCallId: result.id,
            toolName: result.name,
            output: { type: result.failed ? "error-text" : "text", value: result.text }
          }))
        }
      ]
  }
}

type FunctionTool = Extract<NonNullable<LanguageModelV4CallOptions["tools"]>[number], { type: "function" }>

const toFunctionTool = ({ name, description, parameters }: ToolDeclaration.ToolDeclaration): FunctionTool => ({
  type: "function",
  name,
  description,
  inputSchema: parameters
})

const toCallOptions = (request: ModelRequest, abortSignal: AbortSignal): LanguageModelV4CallOptions => ({
  prompt: [
    ...(request.systemPrompt === undefined ? [] : [{ role: "system", content: request.systemPrompt } as const]),
    ...request.messages.flatMap(toPromptMessages)
  ],
  ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toFunctionTool) }),
  abortSignal
})

/** A provider's error in words for the user: what it said, and the HTTP status where there was one. */
const failed = (cause: unknown): ModelFailed => {
  const status = Predicate.isObject(cause) ? cause["statusCode"] : undefined
  const message = cause instanceof Error ? cause.message : typeof cause === "string" ? cause : Wording.noReason
  return new ModelFailed({
    message: Wording.modelFailed(`${message}${typeof status === "number" ? ` (HTTP ${status})` : ""}`)
  })
}

const finishReasons = new Map<string, FinishReason>([
  ["stop", "stop"],
  ["tool-calls", "stop"],
  ["other", "stop"],
  ["length", "length"],
  ["content-filter", "refusal"]
])

const toEvents = (part: LanguageModelV4StreamPart): Stream.Stream<ModelEvent, ModelFailed> => {
  switch (part.type) {
    case "text-delta":
      return Stream.succeed({ type: "text", text: part.delta })
    case "reasoning-delta":
      return Stream.succeed({ type: "thought", text: part.delta })
    case "tool-call":
      return Stream.succeed({ type: "toolCall", id: part.toolCallId, name: part.toolName, arguments: part.input })
    case "error":
      return Stream.fail(failed(part.error))
    case "finish": {
      const reason = finishReasons.get(part.finishReason.unified)
      return reason === undefined
        ? Stream.fail(new ModelFailed({ message: Wording.modelEndedWith(part.finishReason.unified) }))
        : Stream.succeed({ type: "finish", reason })
    }
    default:
      return Stream.empty
  }
}

/** The Model over a provider's model. Interruption aborts the request to the provider. */
export const toModel = (languageModel: LanguageModelV4): Model => ({
  answer: (request) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const abortSignal = yield* Effect.abortSignal
        const { stream } = yield* Effect.tryPromise({
          try: () => Promise.resolve(languageModel.doStream(toCallOptions(request, abortSignal))),
          catch: failed
        })
        return Stream.fromReadableStream({ evaluate: () => stream, onError: failed }).pipe(Stream.flatMap(toEvents))
      })
    )
})
