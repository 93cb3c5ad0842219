/** The reference client with promises: a connection to an agent, its sessions and their turns. */
import type {
  InitializeResponse,
  SessionConfigOption,
  SessionInfo,
  StopReason,
  Stream as AcpStream
} from "@agentclientprotocol/sdk"
import type { JsonObject } from "@acp-client-tools/protocol"
import { Effect, Exit, Result, Scope, Stream } from "effect"
import type { Options as ProcessOptions } from "../node/AgentProcess.ts"
import * as Connection from "../reference/Connection.ts"
import type { FileSystem } from "../reference/FileSystem.ts"
import type { PermissionPolicy } from "../reference/PermissionPolicy.ts"
import type * as ReferenceSession from "../reference/Session.ts"
import type { Terminals } from "../reference/Terminals.ts"
import type { OnUpdate } from "../reference/UpdateStream.ts"
import { type OfferOptions, toolOffer, type Tools } from "./Offer.ts"

export interface ConnectOptions extends OfferOptions {
  /** None when absent. */
  readonly tools?: Tools | undefined
  /** Who answers the agent's questions; `deny` when absent. A function gives the `optionId` of its choice. */
  readonly permission?: PermissionPolicy | undefined
  /**
   * Hears every update of every session, also between turns; the next when it is done with the last. It must not wait for a
   * `prompt`, a `close` or a session that is opened: they wait for it.
   */
  readonly onUpdate?: OnUpdate | undefined
  /** Files for the agent, announced as far as there are functions for them; `LocalFiles` of `/node` serves this machine's. */
  readonly fs?: FileSystem | undefined
  /** Commands run for the agent; `LocalTerminals` of `/node` starts child processes. One for each connection. */
  readonly terminal?: Terminals | undefined
  /** One line about something that went wrong beside the work; `console.error` when absent. */
  readonly log?: ((line: string) => void) | undefined
  /** How the client names itself to the agent. */
  readonly info?: { readonly name: string; readonly version: string } | undefined
  /** How long `initialize` may stay unanswered, in ms. */
  readonly initializeTimeout?: number | undefined
}

/** How a call is given up: the request is withdrawn, and the promise rejects with the signal's reason. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface Session {
  /** The agent's id of it, by which it can be loaded again. */
  readonly sessionId: string
  /** What the agent answered when the session was opened. */
  readonly opened: ReferenceSession.Opened
  /**
   * Gives the stop reason, after every update before it was delivered. Aborting cancels the turn and rejects at once. A prompt
   * is sent when the cancelled turn before it has ended; one that takes longer than 5 s is given up. An error has the agent's JSON-RPC `code` where the agent
   * answered with one.
   */
  readonly prompt: (prompt: ReferenceSession.Prompt, options?: CallOptions) => Promise<StopReason>
  /**
   * The same turn event by event: the session's updates, complete and in order, then its stop reason. The prompt is sent when
   * the loop begins, and again by a second loop. Leaving the loop early cancels the turn.
   */
  readonly stream: (prompt: ReferenceSession.Prompt, options?: CallOptions) => AsyncIterable<ReferenceSession.TurnEvent>
  /** Cancels the running turn; open permission questions of the session are answered `cancelled`. */
  readonly cancel: () => Promise<void>
  /** Gives all options as they are then. */
  readonly setConfigOption: (
    configId: string,
    value: string | boolean,
    options?: CallOptions
  ) => Promise<ReadonlyArray<SessionConfigOption>>
  /** Ends the session in this client, and in the agent where that offers `session/close`. */
  readonly close: () => Promise<void>
}

export interface AgentConnection extends AsyncDisposable {
  /** What the agent answered to `initialize`. */
  readonly agent: InitializeResponse
  /** Opens a session in a folder, an absolute path. */
  readonly newSession: (place: string | Connection.Place, options?: CallOptions) => Promise<Session>
  /** Opens a kept session again; its history was delivered as updates when this settles. */
  readonly loadSession: (sessionId: string, place: string | Connection.Place, options?: CallOptions) => Promise<Session>
  /** Opens a kept session again, without its history. */
  readonly resumeSession: (
    sessionId: string,
    place: string | Connection.Place,
    options?: CallOptions
  ) => Promise<Session>
  /** All sessions the agent knows, or those of a working directory. */
  readonly listSessions: (
    filter?: { readonly cwd?: string | undefined },
    options?: CallOptions
  ) => Promise<ReadonlyArray<SessionInfo>>
  /** Has the agent delete a kept session, an open one as well. */
  readonly deleteSession: (sessionId: string, options?: CallOptions) => Promise<void>
  /** Logs in by one of the agent's `authMethods`; due when a session is refused with code -32000. */
  readonly authenticate: (methodId: string, options?: CallOptions) => Promise<void>
  /** Any other request; the answer is as it came, unchecked. */
  readonly request: (method: string, params: JsonObject, options?: CallOptions) => Promise<unknown>
  /** Settles when the connection is over, with the reason in words. */
  readonly closed: Promise<string>
  /** Closes the connection and, where this started it, ends the agent: a program that forgets it may never end. */
  readonly close: () => Promise<void>
}

const run = async <A, E extends { readonly message: string }>(
  effect: Effect.Effect<A, E>,
  signal?: AbortSignal
): Promise<A> => {
  // What nobody wants any more is not sent.
  signal?.throwIfAborted()
  const result = await Effect.runPromise(Effect.result(effect), signal === undefined ? {} : { signal }).catch(
    (cause: unknown) => {
      throw signal?.aborted === true ? signal.reason : cause
    }
  )
  if (Result.isSuccess(result)) return result.success
  throw toError(result.failure)
}

/** An ordinary error, with the agent's code where it has one. */
const toError = (failure: { readonly message: string }): Error =>
  Object.assign(new Error(failure.message, { cause: failure }), "code" in failure ? { code: failure.code } : {})

/** Fails with the signal's reason once it is aborted. */
const aborted = (signal: AbortSignal): Effect.Effect<never, unknown> =>
  Effect.callback((resume) => {
    const listener = () => resume(Effect.fail(signal.reason))
    if (signal.aborted) return listener()
    signal.addEventListener("abort", listener, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", listener))
  })

const toSession = (session: ReferenceSession.Session): Session => ({
  sessionId: session.sessionId,
  opened: session.opened,
  prompt: (prompt, { signal } = {}) => run(session.prompt(prompt), signal),
  stream: (prompt, { signal } = {}) =>
    Stream.toAsyncIterable(
      Stream.suspend(() =>
        signal?.aborted === true
          ? Stream.fail(signal.reason)
          : session
              .stream(prompt)
              .pipe(
                Stream.mapError(toError),
                signal === undefined ? (events) => events : Stream.interruptWhen(aborted(signal))
              )
      )
    ),
  cancel: () => run(session.cancel),
  setConfigOption: (configId, value, { signal } = {}) => run(session.setConfigOption(configId, value), signal),
  close: () => run(session.close)
})

const toConnection = (connection: Connection.Connection, close: () => Promise<void>): AgentConnection => ({
  agent: connection.agent,
  newSession: async (place, { signal } = {}) => toSession(await run(connection.newSession(place), signal)),
  loadSession: async (sessionId, place, { signal } = {}) =>
    toSession(await run(connection.loadSession(sessionId, place), signal)),
  resumeSession: async (sessionId, place, { signal } = {}) =>
    toSession(await run(connection.resumeSession(sessionId, place), signal)),
  listSessions: (filter, { signal } = {}) => run(connection.listSessions(filter), signal),
  deleteSession: (sessionId, { signal } = {}) => run(connection.deleteSession(sessionId), signal),
  authenticate: (methodId, { signal } = {}) => run(connection.authenticate(methodId), signal),
  request: (method, params, { signal } = {}) => run(connection.request(method, params), signal),
  closed: run(connection.closed),
  close,
  [Symbol.asyncDispose]: close
})

const connectIn = async (
  scope: Scope.Closeable,
  opened: Effect.Effect<Connection.Connection, { readonly message: string }, Scope.Scope>
): Promise<AgentConnection> => {
  let closed: Promise<void> | undefined
  // Who closes again waits for the same end.
  const close = () => (closed ??= Effect.runPromise(Scope.close(scope, Exit.void)))
  try {
    return toConnection(await run(Scope.provide(opened, scope)), close)
  } catch (cause) {
    await close()
    throw cause
  }
}

const connectionOptions = ({ discovery, namespace, tools = [], ...options }: ConnectOptions): Connection.Options => ({
  ...options,
  tools: toolOffer(tools, { discovery, namespace })
})

/** Connects to an agent over a stream of the ACP SDK and initialises. */
export const connect = async (stream: AcpStream, options: ConnectOptions = {}): Promise<AgentConnection> =>
  connectIn(Scope.makeUnsafe(), Connection.make(stream, connectionOptions(options)))

export interface StartOptions extends ConnectOptions {
  /** The folder the agent starts in; this process's when absent. */
  readonly cwd?: string | undefined
  /** The agent's whole environment, `PATH` included; this process's when absent. */
  readonly env?: ProcessOptions["env"]
  /** Where the agent's stderr goes: to this process's (the default), nowhere, or line by line to a function. */
  readonly stderr?: ProcessOptions["stderr"]
}

/**
 * Starts an agent from a command and its arguments, and connects to it; Node only. Closing ends the agent and all it
 * started.
 */
export const startAgent = async (
  command: string,
  args: ReadonlyArray<string>,
  { cwd, env, stderr, ...options }: StartOptions = {}
): Promise<AgentConnection> => {
  const settings = connectionOptions(options)
  const { start } = await import("../node/AgentProcess.ts")
  const agent = start({ command, args, cwd, env, stderr, onNoise: settings.log ?? ((line) => console.error(line)) })
  return connectIn(
    Scope.makeUnsafe(),
    Effect.flatMap(agent, ({ stream, whyClosed }) => Connection.make(stream, { ...settings, whyClosed }))
  )
}
