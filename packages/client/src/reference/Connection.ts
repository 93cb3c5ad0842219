/**
 * The reference client over one connection to an agent: initialise, open sessions, prompt, cancel, with tools offered and
 * permissions answered. Made over any stream of the ACP SDK; processes are the `/node` entry's part.
 */
import {
  client,
  type ClientContext,
  type InitializeResponse,
  MessageTooLargeError,
  PROTOCOL_VERSION,
  type Stream
} from "@agentclientprotocol/sdk"
import { type Discovery, Json, LogLine, Wording } from "@acp-client-tools/protocol"
import { Effect, Schema, type Scope } from "effect"
import * as RequestHandler from "../RequestHandler.ts"
import * as Toolkit from "../Toolkit.ts"
import * as ToolResult from "../ToolResult.ts"
import { AgentFailed } from "./AgentFailed.ts"
import * as PermissionPolicy from "./PermissionPolicy.ts"
import * as PermissionQuestions from "./PermissionQuestions.ts"
import * as UpdateStream from "./UpdateStream.ts"

export interface Options {
  readonly tools?: Toolkit.Toolkit
  /** How the tools are offered; `meta` serves agents of both kinds that accept it (CLIENT-10). */
  readonly discovery?: Discovery.Mode
  /** `deny` when absent. */
  readonly permission?: PermissionPolicy.PermissionPolicy
  readonly onUpdate?: UpdateStream.OnUpdate
  /** One line about something that went wrong beside the work. */
  readonly log?: (line: string) => void
  readonly info?: { readonly name: string; readonly version: string }
  /** How long `initialize` may stay unanswered, in ms (CLIENT-8). */
  readonly initializeTimeout?: number
  /** Why the connection ended, where somebody knows more than that it did: a process that exited. */
  readonly whyClosed?: Effect.Effect<string>
}

export interface Session {
  readonly sessionId: string
  /**
   * Sends a prompt and waits for its stop reason, until every update received before it was delivered (CLIENT-7).
   * Interruption cancels the turn and does not wait for it.
   */
  readonly prompt: (text: string) => Effect.Effect<string, AgentFailed>
  /** Cancels the running turn; open permission questions of the session are answered `cancelled` (CLIENT-6). */
  readonly cancel: Effect.Effect<void>
}

export interface Connection {
  readonly agent: InitializeResponse
  /** Opens a session in a working directory, an absolute path. */
  readonly newSession: (cwd: string) => Effect.Effect<Session, AgentFailed>
}

/** 60 s, as CLIENT-8 has it. */
export const INITIALIZE_TIMEOUT = 60_000
const WAITING_LINE_AFTER = 5_000

const defaultInfo = { name: "acp-client-tools-client", version: "0.0.0" }

const errorText = (error: Json.JsonObject): string => {
  const data = error["data"]
  const details = data === undefined || data === null ? undefined : Json.stringify(data)
  return LogLine.escape(`${String(error["message"])}${details === undefined ? "" : ` ${details}`}`)
}

class ConnectionLost extends Schema.TaggedError<ConnectionLost>()("ConnectionLost", { method: Schema.String }) {}

/** A request to the agent; interruption sends `$/cancel_request` and stops waiting. */
const requester =
  (agent: ClientContext, whyClosed: Effect.Effect<string>) =>
  (method: string, params: Json.JsonObject): Effect.Effect<unknown, AgentFailed> =>
    Effect.tryPromise({
      try: (signal) => agent.request(method, params, { cancellationSignal: signal, stopWaitingOnCancel: true }),
      // An error without a code is the SDK's word for a lost connection.
      catch: (cause) =>
        Json.isObject(cause) && typeof cause["code"] === "number"
          ? new AgentFailed({
              message: Wording.agentAnsweredError(method, errorText(cause)),
              code: cause["code"]
            })
          : new ConnectionLost({ method })
    }).pipe(
      Effect.catchTag("ConnectionLost", () =>
        Effect.flatMap(whyClosed, (why) =>
          Effect.fail(new AgentFailed({ message: Wording.beforeItAnswered(why, method) }))
        )
      )
    )

const malformed = (method: string, expected: string): AgentFailed =>
  new AgentFailed({ message: Wording.answerLacks(method, expected) })

/** Waits for `initialize`, says so when that takes long, and gives up at the timeout (CLIENT-8). */
const initialised = (
  answer: Effect.Effect<unknown, AgentFailed>,
  timeout: number,
  log: (line: string) => void
): Effect.Effect<unknown, AgentFailed> => {
  const waiting = Effect.sync(() => log(Wording.waitingForInitialize)).pipe(
    Effect.delay(WAITING_LINE_AFTER),
    Effect.andThen(Effect.never)
  )
  return Effect.raceFirst(answer, waiting).pipe(
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () =>
        Effect.fail(
          new AgentFailed({
            message: Wording.noInitialize(timeout / 1000)
          })
        )
    })
  )
}

/**
 * Connects and initialises. The connection is closed with the scope. An agent of another protocol version, or of none, is
 * refused (CLIENT-8).
 */
export const make = Effect.fnUntraced(function* (
  stream: Stream,
  {
    discovery = "meta",
    info = defaultInfo,
    initializeTimeout = INITIALIZE_TIMEOUT,
    log = () => undefined,
    onUpdate = () => undefined,
    permission = PermissionPolicy.deny,
    tools = Toolkit.empty,
    whyClosed = Effect.succeed(Wording.agentGone)
  }: Options = {}
): Effect.fn.Return<Connection, AgentFailed, Scope.Scope> {
  const questions = PermissionQuestions.make()
  const updates = UpdateStream.split(stream, onUpdate, (cause) =>
    log(Wording.updateNotHandled(ToolResult.failureText(cause) ?? Wording.noReason))
  )
  const app = client({ name: info.name }).onRequest("session/request_permission", async ({ params, signal }) =>
    PermissionPolicy.toResponse(await questions.ask(permission, params, signal))
  )
  const connection = yield* Effect.acquireRelease(
    Effect.sync(() => RequestHandler.offer(app, tools).connect(updates.stream)),
    (open) => Effect.sync(() => open.close())
  )
  const request = requester(
    connection.agent,
    Effect.suspend(() =>
      connection.signal.reason instanceof MessageTooLargeError ? Effect.succeed(Wording.messageTooLarge) : whyClosed
    )
  )

  const answer = yield* initialised(
    request("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: info,
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        _meta: Toolkit.capabilityMeta(tools, discovery)
      }
    }),
    initializeTimeout,
    log
  )
  const agent = yield* decodeInitialize(answer)

  const session = (sessionId: string): Session => {
    let openPrompts = 0
    // Not awaited: an agent that reads no more must not keep anyone who wants to leave. The notification is in the queue
    // before the answers are, so that the agent sees why its questions end.
    const cancel = Effect.sync(() => {
      void connection.agent.notify("session/cancel", { sessionId }).catch(() => undefined)
      questions.cancel(sessionId)
    })
    const prompt = Effect.fnUntraced(
      function* (text: string) {
        // While a cancelled turn is still ending, its questions stay cancelled.
        if (openPrompts === 0) questions.allow(sessionId)
        openPrompts++
        const result = yield* request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }).pipe(
          Effect.onInterrupt(() => cancel),
          Effect.tapError(() => Effect.promise(updates.delivered))
        )
        yield* Effect.promise(updates.delivered)
        const stopReason = Json.get(result, "stopReason")
        if (typeof stopReason !== "string") return yield* malformed("session/prompt", "stopReason")
        return stopReason
      },
      Effect.ensuring(
        Effect.sync(() => {
          openPrompts--
        })
      )
    )
    return { sessionId, prompt, cancel }
  }

  return {
    agent,
    newSession: Effect.fnUntraced(function* (cwd: string) {
      const result = yield* request("session/new", { cwd, mcpServers: [] })
      const sessionId = Json.get(result, "sessionId")
      if (typeof sessionId !== "string") return yield* malformed("session/new", "sessionId")
      return session(sessionId)
    })
  }
})

const isInitializeResponse = (answer: unknown): answer is InitializeResponse =>
  Json.get(answer, "protocolVersion") === PROTOCOL_VERSION

const decodeInitialize = (answer: unknown): Effect.Effect<InitializeResponse, AgentFailed> => {
  if (isInitializeResponse(answer)) return Effect.succeed(answer)
  const version = Json.stringify(Json.get(answer, "protocolVersion")) ?? "null"
  return Effect.fail(new AgentFailed({ message: Wording.otherVersion(version, PROTOCOL_VERSION) }))
}
