/**
 * What went wrong between LanguageModel and a provider: in words for the user, and whether asking again may help. Errors of
 * the AI SDK are recognised by shape, since a host may have its own copy.
 */
import { Json, Wording } from "@acp-client-tools/protocol"
import { Duration, Effect, Schedule } from "effect"

export interface ProviderFailure {
  readonly message: string
  /** What the provider's server sent with it; empty when nothing came. */
  readonly body: string
  /** The request was not answered, and may be a little later. */
  readonly isPassing: boolean
  /** How long the provider asks to be left alone, in ms; 0 when it does not ask. */
  readonly wait: number
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** What an error says, of whatever make: servers put it in different places. */
const said = (error: unknown): string | undefined => {
  const inner = Json.get(error, "error")
  return [Json.get(inner, "message"), inner, Json.get(error, "message"), Json.get(error, "detail"), error].find(isText)
}

/** A failed connection says what it is in the `code` of the innermost error that has one: `ECONNREFUSED`. */
const connectionCode = (error: unknown): string | undefined => {
  const code = Json.get(error, "code")
  return isText(code) ? code : Json.isObject(error) ? connectionCode(Json.get(error, "cause")) : undefined
}

/** Connections that broke, unlike those that were never made. */
const broken: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])

export const lasting = (message: string): ProviderFailure => ({ message, body: "", isPassing: false, wait: 0 })

/** No answer came from `url`. */
const fromConnection = (url: string, error: unknown): ProviderFailure => {
  const code = connectionCode(error)
  const why = code ?? said(Json.get(error, "cause")) ?? Wording.noReason
  return { ...lasting(Wording.modelDoesNotAnswer(new URL(url).origin, why)), isPassing: broken.has(code) }
}

/** `retry-after` is in seconds, or a date. */
const askedToWait = (error: unknown): { readonly words: string; readonly milliseconds: number } | undefined => {
  const header = Json.get(Json.get(error, "responseHeaders"), "retry-after")
  if (!isText(header)) return undefined
  const seconds = Number(header)
  return Number.isNaN(seconds)
    ? { words: Wording.modelAsksToWait(`until ${header}`), milliseconds: Number.POSITIVE_INFINITY }
    : { words: Wording.modelAsksToWait(`${header} s`), milliseconds: seconds * 1000 }
}

const adviceOn = new Map<number, string>([
  [401, Wording.modelCheckKey],
  [404, Wording.modelCheckAddress]
])

const fromStatus = (status: number, error: unknown): ProviderFailure => {
  const responseBody = Json.get(error, "responseBody")
  const body = isText(responseBody) ? responseBody : ""
  const why = said(Json.parse(body)?.value) ?? said(error) ?? Wording.noReason
  const wait = askedToWait(error)
  return {
    message: Wording.modelAnsweredError(why, status, wait?.words ?? adviceOn.get(status)),
    body,
    isPassing: status === 408 || status === 429 || status >= 500,
    wait: wait?.milliseconds ?? 0
  }
}

/** The failure behind what a provider threw, or sent instead of an answer. */
export const from = (error: unknown): ProviderFailure => {
  const status = Json.get(error, "statusCode")
  if (typeof status === "number" && status >= 400) return fromStatus(status, error)
  switch (Json.get(error, "name")) {
    case "AI_APICallError": {
      const url = Json.get(error, "url")
      // With the status of a success, reading the answer failed.
      return status === undefined && isText(url) ? fromConnection(url, error) : lasting(Wording.modelCutShort)
    }
    // The answer ended without its end, or in the midst of a call.
    case "AI_InvalidResponseDataError":
      return lasting(Wording.modelCutShort)
    case "AI_JSONParseError":
    case "AI_TypeValidationError": {
      const why = said(Json.get(error, "value"))
      return lasting(why === undefined ? Wording.modelUnreadable : Wording.modelFailed(why))
    }
    default:
      return lasting(Wording.modelFailed(said(error) ?? Wording.noReason))
  }
}

/** In ms. A provider that asks for more is not asked again. */
const MAX_WAIT = 10_000

/**
 * How a request is repeated that was not answered: twice at most, after 1 s and 2 s or, where that is longer, as long as the
 * provider asks to wait.
 */
export const retry = {
  times: 2,
  while: ({ isPassing, wait }: ProviderFailure): boolean => isPassing && wait <= MAX_WAIT,
  schedule: Schedule.exponential("1 second").pipe(
    Schedule.setInputType<ProviderFailure>(),
    Schedule.modifyDelay(({ duration, input }) => Effect.succeed(Duration.max(duration, Duration.millis(input.wait))))
  )
}
