/** The provider `openai-compatible`: any server that speaks OpenAI's chat-completions format. Made from the agent file. */
import { Wording } from "@acp-client-tools/protocol"
import { Effect, Stream } from "effect"
import { type Model, ModelFailed } from "../reference/Model.ts"
import * as LanguageModel from "./LanguageModel.ts"

export interface Options {
  /** The address before `/chat/completions`. */
  readonly baseUrl: string
  /** The server's name of the model. */
  readonly name: string
  readonly apiKey?: string | undefined
}

/** Servers tell which key was wrong; it stays out of the agent's own words (CLI-6). */
const withoutSecret = (model: Model, secret: string): Model => ({
  answer: (request) =>
    model
      .answer(request)
      .pipe(Stream.mapError(({ message }) => new ModelFailed({ message: message.replaceAll(secret, "[secret]") })))
})

/** The Model of such a server. The provider's package is loaded here and not before: other providers do without it. */
export const make = ({ apiKey, baseUrl, name }: Options): Effect.Effect<Model, ModelFailed> =>
  Effect.tryPromise({
    try: () => import("@ai-sdk/openai-compatible"),
    catch: () => new ModelFailed({ message: Wording.packageMissing("@ai-sdk/openai-compatible") })
  }).pipe(
    Effect.map(({ createOpenAICompatible }) => {
      const provider = createOpenAICompatible({
        name: "openai-compatible",
        baseURL: baseUrl,
        ...(apiKey === undefined ? {} : { apiKey })
      })
      return apiKey === undefined
        ? LanguageModel.toModel(provider.chatModel(name))
        : withoutSecret(LanguageModel.toModel(provider.chatModel(name)), apiKey)
    })
  )
