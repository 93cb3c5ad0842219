/** The provider `openai-compatible`: any server that speaks OpenAI's chat-completions format. Made from the agent file. */
import { Effect } from "effect"
import type { Model } from "../reference/Model.ts"
import * as LanguageModel from "./LanguageModel.ts"

export interface Options {
  /** The address before `/chat/completions`. */
  readonly baseUrl: string
  /** The server's name of the model. */
  readonly name: string
  readonly apiKey?: string | undefined
}

/** The Model of such a server. The provider's package is loaded here and not before: other providers do without it. */
export const make = ({ apiKey, baseUrl, name }: Options): Effect.Effect<Model> =>
  Effect.promise(() => import("@ai-sdk/openai-compatible")).pipe(
    Effect.map(({ createOpenAICompatible }) => {
      const provider = createOpenAICompatible({
        name: "openai-compatible",
        baseURL: baseUrl,
        ...(apiKey === undefined ? {} : { apiKey })
      })
      return LanguageModel.toModel(provider.chatModel(name))
    })
  )
