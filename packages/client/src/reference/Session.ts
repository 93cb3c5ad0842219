/** An open session of the reference client: its prompt turns, and what can be changed in it. Made by Connection. */
import type {
  ContentBlock,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
  StopReason
} from "@agentclientprotocol/sdk"
import { Json } from "@acp-client-tools/protocol"
import { Effect, Queue, Stream } from "effect"
import type { AgentFailed } from "./AgentFailed.ts"
import * as AgentRequest from "./AgentRequest.ts"
import type { Update } from "./UpdateStream.ts"

/** What a turn is given: a text, or content blocks. */
export type Prompt = string | ReadonlyArray<ContentBlock>

/** What happens in a turn, in order; `stop` is the last. */
export type TurnEvent =
  | { readonly type: "update"; readonly update: SessionUpdate }
  | { readonly type: "stop"; readonly stopReason: StopReason }

/** What the agent answered when the session was opened. */
export interface Opened {
  readonly configOptions?: ReadonlyArray<SessionConfigOption> | null
  readonly modes?: SessionModeState | null
}

export interface Session {
  readonly sessionId: string
  readonly opened: Opened
  /**
   * Sends a prompt and waits for its stop reason, until every update received before it was delivered (CLIENT-7).
   * Interruption cancels the turn and does not wait for it. A prompt is sent when the cancelled turn before it has ended; one
   * that takes longer than 5 s is given up.
   */
  readonly prompt: (prompt: Prompt) => Effect.Effect<StopReason, AgentFailed>
  /**
   * The same turn as a stream: the session's updates while it runs, complete and in order, then its stop reason. Ending the
   * stream early cancels the turn. What is not taken yet waits in memory, so that a slow reader holds up nothing else.
   */
  readonly stream: (prompt: Prompt) => Stream.Stream<TurnEvent, AgentFailed>
  /** Cancels the running turn; open permission questions of the session are answered `cancelled` (CLIENT-6). */
  readonly cancel: Effect.Effect<void>
  /** Gives all options as they are then. */
  readonly setConfigOption: (
    configId: string,
    value: string | boolean
  ) => Effect.Effect<ReadonlyArray<SessionConfigOption>, AgentFailed>
  /** Ends the session in this client, and in the agent where that offers `session/close`. A running turn is cancelled. */
  readonly close: Effect.Effect<void, AgentFailed>
}

/** What a session needs of its connection. */
export interface Host {
  readonly request: AgentRequest.AgentRequest
  readonly notify: (method: string, params: Json.JsonObject) => void
  /** Settles when every update received so far was delivered. */
  readonly delivered: Effect.Effect<void>
  /** Hears the session's updates, until the returned function is called. */
  readonly listen: (sessionId: string, listener: (update: Update) => void) => () => void
  readonly questions: {
    readonly allow: (sessionId: string) => void
    readonly cancel: (sessionId: string) => void
  }
  /** Ends the session on both sides. */
  readonly close: (sessionId: string) => Effect.Effect<void, AgentFailed>
}

/** How long a prompt waits for a turn to end that was cancelled, in ms. */
const CANCELLED_GRACE = 5_000

const blocks = (prompt: Prompt): ReadonlyArray<ContentBlock> =>
  typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt

const isStopReason = (value: unknown): value is StopReason => typeof value === "string"

const areConfigOptions = (value: unknown): value is ReadonlyArray<SessionConfigOption> => Array.isArray(value)

export const make = (host: Host, sessionId: string, opened: Opened): Session => {
  // Turns the agent has not ended; those among them that were cancelled.
  const running = new Set<Promise<void>>()
  const ending = new Set<Promise<void>>()

  /** No longer counted. When no cancelled turn is left, the one that runs may ask. */
  const leave = (turn: Promise<void>): void => {
    running.delete(turn)
    if (ending.delete(turn) && ending.size === 0 && running.size > 0) host.questions.allow(sessionId)
  }

  // Not awaited: an agent that reads no more must not keep anyone who wants to leave. The notification is in the queue
  // before the answers are, so that the agent sees why its questions end.
  const cancel = Effect.sync(() => {
    running.forEach((turn) => ending.add(turn))
    host.notify("session/cancel", { sessionId })
    host.questions.cancel(sessionId)
  })

  /** The answer of a turn, which counts as running until the agent has ended it, whoever still waits for that. */
  const turn = (given: Prompt) => {
    const over = Promise.withResolvers<void>()
    // While a cancelled turn is still ending, its questions stay cancelled.
    if (ending.size === 0) host.questions.allow(sessionId)
    running.add(over.promise)
    return host.request("session/prompt", { sessionId, prompt: blocks(given) }, () => {
      leave(over.promise)
      over.resolve()
    })
  }

  const prompt = Effect.fnUntraced(function* (given: Prompt) {
    // An agent runs one turn at a time, and refuses another while the last is ending.
    if (ending.size > 0) {
      const cancelled = [...ending]
      yield* Effect.timeoutOption(
        Effect.promise(() => Promise.all(cancelled)),
        CANCELLED_GRACE
      )
      // One that has not ended by now never will; no later prompt waits for it.
      cancelled.forEach(leave)
    }
    const result = yield* turn(given).pipe(
      Effect.onInterrupt(() => cancel),
      Effect.tapError(() => host.delivered)
    )
    yield* host.delivered
    const stopReason = Json.get(result, "stopReason")
    if (!isStopReason(stopReason)) return yield* AgentRequest.malformed("session/prompt", "stopReason")
    return stopReason
  })

  return {
    sessionId,
    opened,
    prompt,
    stream: (given) =>
      Stream.callback<TurnEvent, AgentFailed>((events) =>
        Effect.gen(function* () {
          yield* Effect.acquireRelease(
            Effect.sync(() =>
              host.listen(sessionId, ({ update }) => Queue.offerUnsafe(events, { type: "update", update }))
            ),
            (unlisten) => Effect.sync(unlisten)
          )
          const stopReason = yield* prompt(given)
          Queue.offerUnsafe(events, { type: "stop", stopReason })
          Queue.endUnsafe(events)
        })
      ),
    cancel,
    setConfigOption: Effect.fnUntraced(function* (configId, value) {
      const typed = typeof value === "boolean" ? { type: "boolean", value } : { value }
      const result = yield* host.request("session/set_config_option", { sessionId, configId, ...typed })
      const options = Json.get(result, "configOptions")
      if (!areConfigOptions(options)) {
        return yield* AgentRequest.malformed("session/set_config_option", "configOptions")
      }
      return options
    }),
    close: Effect.suspend(() => host.close(sessionId))
  }
}
