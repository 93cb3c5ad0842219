/** A request of the client to its agent: sent, awaited, and its failure told in a sentence. Used by Connection and Session. */
import type { ClientContext } from "@agentclientprotocol/sdk"
import { Json, LogLine, Wording } from "@acp-client-tools/protocol"
import { Effect, Schema } from "effect"
import { AgentFailed } from "./AgentFailed.ts"

/**
 * Sends a request; interruption sends `$/cancel_request` and stops waiting. The answer is as it came, unchecked. `onAnswer` is
 * called when the agent has answered, or is gone, also when nobody waits for that any more. Params that have no JSON text (a
 * BigInt, a cycle) fail this request alone; nothing is sent.
 */
export type AgentRequest = (
  method: string,
  params: Json.JsonObject,
  onAnswer?: () => void
) => Effect.Effect<unknown, AgentFailed>

const errorText = (error: Json.JsonObject): string => {
  const data = error["data"]
  const details = data === undefined || data === null ? undefined : Json.stringify(data)
  return LogLine.escape(`${String(error["message"])}${details === undefined ? "" : ` ${details}`}`)
}

const AUTHENTICATION_REQUIRED = -32000

const answeredError = (method: string, error: Json.JsonObject, code: number): AgentFailed => {
  const advice = code === AUTHENTICATION_REQUIRED ? Wording.agentWantsLogin : undefined
  return new AgentFailed({ message: Wording.agentAnsweredError(method, errorText(error), advice), code })
}

class ConnectionLost extends Schema.TaggedError<ConnectionLost>()("ConnectionLost", { method: Schema.String }) {}

/** Requests over a connection; `whyClosed` says in words why it ended. */
export const make =
  (agent: ClientContext, whyClosed: Effect.Effect<string>): AgentRequest =>
  (method, params, onAnswer = () => undefined) => {
    const sent = Effect.tryPromise({
      try: (signal) => {
        const answer = agent.request(method, params, { cancellationSignal: signal })
        answer.then(onAnswer, onAnswer)
        return answer
      },
      // An error without a code is the SDK's word for a lost connection.
      catch: (cause) =>
        Json.isObject(cause) && typeof cause["code"] === "number"
          ? answeredError(method, cause, cause["code"])
          : new ConnectionLost({ method })
    }).pipe(
      Effect.catchTag("ConnectionLost", () =>
        Effect.flatMap(whyClosed, (why) =>
          Effect.fail(new AgentFailed({ message: Wording.beforeItAnswered(why, method) }))
        )
      )
    )
    // One that cannot be written would end the connection.
    return Effect.suspend(() => {
      if (Json.stringify(params) !== undefined) return sent
      onAnswer()
      return Effect.fail(new AgentFailed({ message: Wording.paramsAreNotJson(method) }))
    })
  }

/** The failure of an answer that lacks what it must have. */
export const malformed = (method: string, expected: string): AgentFailed =>
  new AgentFailed({ message: Wording.answerLacks(method, expected) })
