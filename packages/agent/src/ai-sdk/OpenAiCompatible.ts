/** The provider `openai-compatible`: any server that speaks OpenAI's chat-completions format. Made from the agent file. */
import { Wording } from "@acp-client-tools/protocol"
import { Effect, Stream } from "effect"
import { type Model, ModelFailed } from "../reference/Model.ts"
import * as LanguageModel from "./LanguageModel.ts"

export interface Options extends LanguageModel.Options {
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

/** Whatever answers a request for a stream with a page or a document is another server, or an address beside the API. */
const fetchStream: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const [contentType = ""] = response.headers.get("content-type")?.split(";") ?? []
  if (!response.ok || !/json|html/.test(contentType)) return response
  await response.body?.cancel()
  throw new Error(Wording.modelNoStream(response.url, contentType))
}

/** The Model of such a server. The provider's package is loaded here and not before: other providers do without it. */
export const make = ({ apiKey, baseUrl, name, toolNameLimit }: Options): Effect.Effect<Model, ModelFailed> =>
  Effect.tryPromise({
    try: () => import("@ai-sdk/openai-compatible"),
    catch: () => new ModelFailed({ message: Wording.packageMissing("@ai-sdk/openai-compatible") })
  }).pipe(
    Effect.map(({ createOpenAICompatible }) => {
      const provider = createOpenAICompatible({
        name: "openai-compatible",
        baseURL: baseUrl,
        fetch: fetchStream,
        ...(apiKey === undefined ? {} : { apiKey })
      })
      const model = LanguageModel.toModel(provider.chatModel(name), { toolNameLimit })
      return apiKey === undefined ? model : withoutSecret(model, apiKey)
    })
  )
