/**
 * Client tools with promises: define tools, offer them on a client of one's own, or talk to an agent. The same as the
 * other entries, without a type of Effect; rejections are ordinary errors.
 */
import type {
  ClientApp,
  InitializeResponse,
  SessionConfigOption,
  SessionInfo,
  StopReason,
  Stream as AcpStream
} from "@agentclientprotocol/sdk"
import { type JsonObject, Wording } from "@acp-client-tools/protocol"
import { Effect, Exit, Result, Scope, Stream } from "effect"
import type { Options as ProcessOptions } from "../node/AgentProcess.ts"
import * as ClientTool from "../ClientTool.ts"
import * as RequestHandler from "../RequestHandler.ts"
import * as Connection from "../reference/Connection.ts"
import type { FileSystem } from "../reference/FileSystem.ts"
import type * as ReferenceSession from "../reference/Session.ts"
import type { PermissionPolicy } from "../reference/PermissionPolicy.ts"
import type { Terminals } from "../reference/Terminals.ts"
import type { OnUpdate } from "../reference/UpdateStream.ts"
import type { CallContext, ToolDefinition } from "../ToolDefinition.ts"
import type { Arguments, ToolSchema } from "../ToolSchema.ts"
import * as Toolkit from "../Toolkit.ts"
import * as ToolOffer from "../ToolOffer.ts"

export type { CallContext, ToolDefinition } from "../ToolDefinition.ts"
export type { Place } from "../reference/Connection.ts"
export type { Opened, Prompt, TurnEvent } from "../reference/Session.ts"
export type { Arguments, EffectSchema, Standard, ToolSchema } from "../ToolSchema.ts"
export type { FileSystem } from "../reference/FileSystem.ts"
export type { Terminals } from "../reference/Terminals.ts"
export type { OnUpdate, Update } from "../reference/UpdateStream.ts"
export { allow, deny, type PermissionPolicy, remember } from "../reference/PermissionPolicy.ts"
export { content, error, image, resource, text } from "../ToolResult.ts"

/** A definition whose `execute` gives a promise or a value, for arguments as the schema decodes them. */
export interface Definition<S extends ToolSchema> extends Omit<ToolDefinition, "execute" | "inputSchema"> {
  readonly inputSchema?: S | undefined
  readonly execute: (args: Arguments<S>, context: CallContext) => unknown
}

/**
 * A tool whose arguments are typed by its schema. Throws a TypeError for a definition that an agent would skip, or whose
 * schema cannot be compiled (CLIENT-1, CLIENT-3).
 */
export const defineTool = <const S extends ToolSchema = JsonObject>(definition: Definition<S>): ToolDefinition =>
  ClientTool.make(definition)

/** The tools of a client: one set for all sessions, or a function of the session, for mode `request`. */
export type Tools =
  | ReadonlyArray<ToolDefinition>
  | ((session: ToolOffer.Session) => ReadonlyArray<ToolDefinition> | Promise<ReadonlyArray<ToolDefinition>>)

/** Tools ready to be offered. */
export interface Offer {
  /** What belongs into `clientCapabilities._meta` of `initialize`; `addTo` puts it there. */
  readonly capabilityMeta: JsonObject
  /** Answers an extension request; for a fallback handler of one's own. Rejects with `-32601` for what is not a tool. */
  readonly handle: (request: RequestHandler.Request) => Promise<unknown>
  /**
   * Offers the tools on a `client()` app of the ACP SDK: answers calls as its fallback handler, and adds the offer to the
   * `initialize` it sends over a stream connected from now on.
   */
  readonly addTo: (app: ClientApp) => ClientApp
  /** Drops what was listed for a session that is over; needed for tools that differ by session, in a client that lives long. */
  readonly forget: (sessionId: string) => void
}

export interface OfferOptions extends Toolkit.Options {
  /**
   * `meta` sends the list in `initialize`, `request` answers the agent's question for it. Tools that differ by session go by
   * `request`; `meta` is the default for others.
   */
  readonly discovery?: "meta" | "request" | undefined
}

const toolkit = (definitions: ReadonlyArray<ToolDefinition>, options: Toolkit.Options): Toolkit.Toolkit => {
  const made = Toolkit.make(definitions, options)
  if (Result.isFailure(made)) throw new TypeError(made.failure.message)
  return made.success
}

const toolOffer = (tools: Tools, { discovery, ...options }: OfferOptions): ToolOffer.ToolOffer => {
  if (typeof tools !== "function") return ToolOffer.make(toolkit(tools, options), discovery)
  if (discovery === "meta") throw new TypeError(Wording.toolsOfSessionInMeta)
  return ToolOffer.perSession(async (session) => toolkit(await tools(session), options))
}

/** Checks a set of tools; throws a TypeError with everything that is wrong in it. */
export const offerTools = (tools: Tools, options: OfferOptions = {}): Offer => {
  const offer = toolOffer(tools, options)
  return {
    capabilityMeta: offer.capabilityMeta,
    handle: (request) => RequestHandler.handle(offer, request),
    addTo: (app) => RequestHandler.offer(app, offer),
    forget: offer.forget
  }
}

export interface ConnectOptions extends OfferOptions {
  readonly tools?: Tools
  /** `deny` when absent. */
  readonly permission?: PermissionPolicy
  /** Hears every update of every session, also between turns; the next when it is done with the last. */
  readonly onUpdate?: OnUpdate
  /** Files for the agent, announced as far as there are functions for them; `LocalFiles` of `/node` serves this machine's. */
  readonly fs?: FileSystem
  /** Commands run for the agent; `LocalTerminals` of `/node` starts child processes. */
  readonly terminal?: Terminals
  /** One line about something that went wrong beside the work. */
  readonly log?: (line: string) => void
  readonly info?: { readonly name: string; readonly version: string }
  /** How long `initialize` may stay unanswered, in ms. */
  readonly initializeTimeout?: number
}

export interface Session {
  readonly sessionId: string
  /** What the agent answered when the session was opened. */
  readonly opened: ReferenceSession.Opened
  /**
   * Gives the stop reason, after every update before it was delivered. Aborting cancels the turn and rejects. An error has
   * the agent's JSON-RPC `code` where the agent answered with one.
   */
  readonly prompt: (prompt: ReferenceSession.Prompt, options?: { readonly signal?: AbortSignal }) => Promise<StopReason>
  /**
   * The same turn event by event: the session's updates, complete and in order, then its stop reason. Leaving the loop early
   * cancels the turn.
   */
  readonly stream: (prompt: ReferenceSession.Prompt) => AsyncIterable<ReferenceSession.TurnEvent>
  /** Cancels the running turn; open permission questions of the session are answered `cancelled`. */
  readonly cancel: () => Promise<void>
  /** Gives all options as they are then. */
  readonly setConfigOption: (configId: string, value: string | boolean) => Promise<ReadonlyArray<SessionConfigOption>>
  /** Ends the session in this client, and in the agent where that offers `session/close`. */
  readonly close: () => Promise<void>
}

export interface AgentConnection {
  /** What the agent answered to `initialize`. */
  readonly agent: InitializeResponse
  readonly newSession: (place: string | Connection.Place) => Promise<Session>
  /** Opens a kept session again; its history was delivered as updates when this settles. */
  readonly loadSession: (sessionId: string, place: string | Connection.Place) => Promise<Session>
  /** Opens a kept session again, without its history. */
  readonly resumeSession: (sessionId: string, place: string | Connection.Place) => Promise<Session>
  /** All sessions the agent knows, or those of a working directory. */
  readonly listSessions: (filter?: { readonly cwd?: string }) => Promise<ReadonlyArray<SessionInfo>>
  readonly deleteSession: (sessionId: string) => Promise<void>
  /** Logs in by one of the agent's `authMethods`; due when a session is refused with code -32000. */
  readonly authenticate: (methodId: string) => Promise<void>
  /** Any other request; the answer is as it came, unchecked. */
  readonly request: (
    method: string,
    params: JsonObject,
    options?: { readonly signal?: AbortSignal }
  ) => Promise<unknown>
  /** Settles when the connection is over, with the reason in words. */
  readonly closed: Promise<string>
  /** Closes the connection and, where this started it, ends the agent. */
  readonly close: () => Promise<void>
}

const run = async <A, E extends { readonly message: string }>(
  effect: Effect.Effect<A, E>,
  signal?: AbortSignal
): Promise<A> => {
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
  Object.assign(new Error(failure.message), "code" in failure ? { code: failure.code } : {})

const toSession = (session: ReferenceSession.Session): Session => ({
  sessionId: session.sessionId,
  opened: session.opened,
  prompt: (prompt, { signal } = {}) => run(session.prompt(prompt), signal),
  stream: (prompt) => Stream.toAsyncIterable(Stream.mapError(session.stream(prompt), toError)),
  cancel: () => run(session.cancel),
  setConfigOption: (configId, value) => run(session.setConfigOption(configId, value)),
  close: () => run(session.close)
})

const toConnection = (connection: Connection.Connection, close: () => Promise<void>): AgentConnection => ({
  agent: connection.agent,
  newSession: async (place) => toSession(await run(connection.newSession(place))),
  loadSession: async (sessionId, place) => toSession(await run(connection.loadSession(sessionId, place))),
  resumeSession: async (sessionId, place) => toSession(await run(connection.resumeSession(sessionId, place))),
  listSessions: (filter) => run(connection.listSessions(filter)),
  deleteSession: (sessionId) => run(connection.deleteSession(sessionId)),
  authenticate: (methodId) => run(connection.authenticate(methodId)),
  request: (method, params, { signal } = {}) => run(connection.request(method, params), signal),
  closed: run(connection.closed),
  close
})

const connectIn = async (
  scope: Scope.Closeable,
  opened: Effect.Effect<Connection.Connection, { readonly message: string }, Scope.Scope>
): Promise<AgentConnection> => {
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
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
export const connect = (stream: AcpStream, options: ConnectOptions = {}): Promise<AgentConnection> =>
  connectIn(Scope.makeUnsafe(), Connection.make(stream, connectionOptions(options)))

export interface StartOptions extends ConnectOptions, Pick<ProcessOptions, "cwd" | "env" | "stderr"> {}

/** Starts an agent from a command and connects to it; Node only. Closing ends the agent and all it started. */
export const startAgent = async (
  command: string,
  args: ReadonlyArray<string>,
  { cwd, env, stderr, ...options }: StartOptions = {}
): Promise<AgentConnection> => {
  const settings = connectionOptions(options)
  const { start } = await import("../node/AgentProcess.ts")
  const agent = start({
    command,
    args,
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(stderr === undefined ? {} : { stderr }),
    ...(settings.log === undefined ? {} : { onNoise: settings.log })
  })
  return connectIn(
    Scope.makeUnsafe(),
    Effect.flatMap(agent, ({ stream, whyClosed }) => Connection.make(stream, { ...settings, whyClosed }))
  )
}
