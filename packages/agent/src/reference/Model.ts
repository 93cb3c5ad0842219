/** The language model behind the reference agent. PromptTurn calls it; ScriptedModel and the AI SDK adapter implement it. */
import type { ToolDeclaration } from "@acp-client-tools/protocol"
import { Schema, Stream } from "effect"
import type { Message } from "./History.ts"

/** What a model is asked. */
export interface ModelRequest {
  readonly systemPrompt: string | undefined
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<ToolDeclaration.ToolDeclaration>
  /** How many answers the session has had before this one, also across restarts. */
  readonly index: number
}

/** Why an answer ended. Calls for tools may come with any of them. */
export type FinishReason = "stop" | "length" | "refusal"

/** A piece of an answer, in the order the model gives them. */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thought"; readonly text: string }
  /** `arguments`: a value, or JSON text, as the model gave it. */
  | { readonly type: "toolCall"; readonly id: string; readonly name: string; readonly arguments: unknown }
  /** Comes once, last. An answer without it was cut short. */
  | { readonly type: "finish"; readonly reason: FinishReason }

/** The model could not answer. The message is for the user. */
export class ModelFailed extends Schema.TaggedError<ModelFailed>()("ModelFailed", { message: Schema.String }) {}

export interface Model {
  /** One answer as a stream; interruption stops the request. */
  readonly answer: (request: ModelRequest) => Stream.Stream<ModelEvent, ModelFailed>
}

/** The same model. Servers tell which key was wrong; it stays out of the agent's own words (CLI-6). */
export const maskingErrors = (model: Model, mask: (text: string) => string): Model => ({
  answer: (request) =>
    model.answer(request).pipe(Stream.mapError(({ message }) => new ModelFailed({ message: mask(message) })))
})
