/** The provider `openai-compatible`: any server that speaks OpenAI's chat-completions format. Made from the agent file. */
import { type Json, Wording } from "@acp-client-tools/protocol"
import { Effect } from "effect"
import { maskingErrors, type Model, ModelFailed } from "../reference/Model.ts"
import * as Secret from "../reference/Secret.ts"
import * as LanguageModel from "./LanguageModel.ts"

export interface Options extends LanguageModel.Options {
  /** The address before `/chat/completions`. */
  readonly baseUrl: string
  /** The server's name of the model. */
  readonly name: string
  readonly apiKey?: string | undefined
  /** Further settings of `createOpenAICompatible`, such as `headers`. */
  readonly settings?: Json.JsonObject | undefined
}

/** More than the sign of the end, which may come in pieces. */
const TAIL = 32

/** The stream to the sign of its end. Servers that keep the connection open behind it would keep the turn open as well. */
const untilDone = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> => {
  const decoder = new TextDecoder("latin1")
  let tail = "\n"
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk)
        const text = tail + decoder.decode(chunk)
        if (/[\r\n]data: ?\[DONE\]/.test(text)) controller.terminate()
        tail = text.slice(-TAIL)
      }
    })
  )
}

/** Whatever answers a request for a stream with a page or a document is another server, or an address beside the API. */
const fetchStream: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const [contentType = ""] = response.headers.get("content-type")?.split(";") ?? []
  if (!response.ok || response.body === null) return response
  if (!/json|html/.test(contentType)) return new Response(untilDone(response.body), response)
  await response.body.cancel()
  throw new Error(Wording.modelNoStream(response.url, contentType))
}

/** The Model of such a server. The provider's package is loaded here and not before: other providers do without it. */
export const make = ({ apiKey, baseUrl, name, settings, toolNameLimit }: Options): Effect.Effect<Model, ModelFailed> =>
  Effect.tryPromise({
    try: () => import("@ai-sdk/openai-compatible"),
    catch: () => new ModelFailed({ message: Wording.packageMissing("@ai-sdk/openai-compatible") })
  }).pipe(
    Effect.map(({ createOpenAICompatible }) => {
      // Keys come out of files with a line end behind them.
      const key = apiKey?.trim() ?? ""
      const provider = createOpenAICompatible({
        ...settings,
        name: "openai-compatible",
        baseURL: baseUrl,
        fetch: fetchStream,
        ...(key === "" ? {} : { apiKey: key })
      })
      const model = LanguageModel.toModel(provider.chatModel(name), { toolNameLimit })
      return maskingErrors(model, Secret.masking([key]))
    })
  )
