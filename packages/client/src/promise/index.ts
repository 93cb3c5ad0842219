/**
 * Client tools with promises: define tools, offer them on a client of one's own, or talk to an agent. The same as the
 * other entries, without a type of Effect; rejections are ordinary errors.
 */
import type { ClientApp, InitializeResponse, Stream } from "@agentclientprotocol/sdk"
import type { JsonObject } from "@acp-client-tools/protocol"
import { Effect, Exit, Result, Scope } from "effect"
import * as RequestHandler from "../RequestHandler.ts"
import * as Connection from "../reference/Connection.ts"
import type { PermissionPolicy } from "../reference/PermissionPolicy.ts"
import type { OnUpdate } from "../reference/UpdateStream.ts"
import type { ToolDefinition } from "../ToolDefinition.ts"
import * as Toolkit from "../Toolkit.ts"

export type { CallContext, ToolDefinition } from "../ToolDefinition.ts"
export type { OnUpdate, Update } from "../reference/UpdateStream.ts"
export { allow, deny, type PermissionPolicy } from "../reference/PermissionPolicy.ts"

/** The definition itself, checked: throws a TypeError for one that an agent would skip (CLIENT-1). */
export const defineTool = (definition: ToolDefinition): ToolDefinition => {
  Toolkit.check(definition)
  return definition
}

/** A set of tools, ready to be offered. */
export interface Offer {
  /** What to put into `clientCapabilities._meta` of `initialize`. */
  readonly capabilityMeta: JsonObject
  /** Answers an extension request; for a fallback handler of one's own. Rejects with `-32601` for what is not a tool. */
  readonly handle: (request: RequestHandler.Request) => Promise<unknown>
  /** Adds `handle` to a `client()` app of the ACP SDK as its fallback handler. */
  readonly addTo: (app: ClientApp) => ClientApp
}

export interface OfferOptions extends Toolkit.Options {
  /** `meta` (the default) sends the list in `initialize`, `request` answers the agent's question for it. */
  readonly discovery?: "meta" | "request"
}

const toolkit = (definitions: ReadonlyArray<ToolDefinition>, options: Toolkit.Options): Toolkit.Toolkit => {
  const made = Toolkit.make(definitions, options)
  if (Result.isFailure(made)) throw new TypeError(made.failure.message)
  return made.success
}

/** Checks a set of tools; throws a TypeError with everything that is wrong in it. */
export const offerTools = (definitions: ReadonlyArray<ToolDefinition>, options: OfferOptions = {}): Offer => {
  const tools = toolkit(definitions, options)
  return {
    capabilityMeta: Toolkit.capabilityMeta(tools, options.discovery ?? "meta"),
    handle: (request) => RequestHandler.handle(tools, request),
    addTo: (app) => RequestHandler.offer(app, tools)
  }
}

export interface ConnectOptions extends OfferOptions {
  readonly tools?: ReadonlyArray<ToolDefinition>
  /** `deny` when absent. */
  readonly permission?: PermissionPolicy
  readonly onUpdate?: OnUpdate
  /** One line about something that went wrong beside the work. */
  readonly log?: (line: string) => void
  readonly info?: { readonly name: string; readonly version: string }
  /** How long `initialize` may stay unanswered, in ms. */
  readonly initializeTimeout?: number
}

export interface Session {
  readonly sessionId: string
  /**
   * Gives the stop reason, after every update before it was delivered. Aborting cancels the turn and rejects. An error has
   * the agent's JSON-RPC `code` where the agent answered with one.
   */
  readonly prompt: (text: string, options?: { readonly signal?: AbortSignal }) => Promise<string>
  readonly cancel: () => Promise<void>
}

export interface AgentConnection {
  readonly agent: InitializeResponse
  readonly newSession: (cwd: string) => Promise<Session>
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
  throw Object.assign(new Error(result.failure.message), "code" in result.failure ? { code: result.failure.code } : {})
}

const toConnection = (connection: Connection.Connection, close: () => Promise<void>): AgentConnection => ({
  agent: connection.agent,
  newSession: async (cwd) => {
    const session = await run(connection.newSession(cwd))
    return {
      sessionId: session.sessionId,
      prompt: (text, { signal } = {}) => run(session.prompt(text), signal),
      cancel: () => run(session.cancel)
    }
  },
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

const connectionOptions = ({ tools = [], ...options }: ConnectOptions): Connection.Options => ({
  ...options,
  tools: toolkit(tools, options)
})

/** Connects to an agent over a stream of the ACP SDK and initialises. */
export const connect = (stream: Stream, options: ConnectOptions = {}): Promise<AgentConnection> =>
  connectIn(Scope.makeUnsafe(), Connection.make(stream, connectionOptions(options)))

/** Starts an agent from a command and connects to it; Node only. Closing ends the agent and all it started. */
export const startAgent = async (
  command: string,
  args: ReadonlyArray<string>,
  options: ConnectOptions = {}
): Promise<AgentConnection> => {
  const settings = connectionOptions(options)
  const { start } = await import("../node/AgentProcess.ts")
  return connectIn(
    Scope.makeUnsafe(),
    Effect.flatMap(
      start({ command, args, ...(settings.log === undefined ? {} : { onNoise: settings.log }) }),
      ({ stream, whyClosed }) => Connection.make(stream, { ...settings, whyClosed })
    )
  )
}
