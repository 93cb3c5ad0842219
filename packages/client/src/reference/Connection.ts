/**
 * The reference client over one connection to an agent: initialise, open sessions, with tools offered, permissions answered
 * and updates delivered. Made over any stream of the ACP SDK; processes are the `/node` entry's part.
 */
import {
  client,
  type InitializeResponse,
  type McpServer,
  MessageTooLargeError,
  PROTOCOL_VERSION,
  type SessionInfo,
  type Stream
} from "@agentclientprotocol/sdk"
import { Json, Thrown, Wording } from "@acp-client-tools/protocol"
import { Deferred, Effect, type Scope } from "effect"
import * as Settle from "../Settle.ts"
import * as RequestHandler from "../RequestHandler.ts"
import * as ToolOffer from "../ToolOffer.ts"
import { AgentFailed } from "./AgentFailed.ts"
import * as AgentRequest from "./AgentRequest.ts"
import * as ClientServices from "./ClientServices.ts"
import * as Initialize from "./Initialize.ts"
import * as OpenSessions from "./OpenSessions.ts"
import * as PermissionAnswer from "./PermissionAnswer.ts"
import * as PermissionPolicy from "./PermissionPolicy.ts"
import * as PermissionQuestions from "./PermissionQuestions.ts"
import type * as Service from "./Service.ts"
import * as Session from "./Session.ts"
import * as UpdateListeners from "./UpdateListeners.ts"
import * as UpdateStream from "./UpdateStream.ts"

/** `fs` and `terminal` are served, and announced, as far as there are functions for them. */
export interface Options extends ClientServices.Services {
  /** The tools, and how they are offered. */
  readonly tools?: ToolOffer.ToolOffer | undefined
  /** `deny` when absent. One that gives Effects is interrupted when its question is withdrawn. */
  readonly permission?:
    | PermissionPolicy.PermissionPolicy
    | ((...question: Parameters<PermissionPolicy.PermissionPolicy>) => Effect.Effect<string | undefined, unknown>)
    | undefined
  /**
   * Hears every update of every session, also between turns; the next when it is done with the last. It must not wait for a
   * `prompt`, a `close` or a session that is opened: they wait for it.
   */
  readonly onUpdate?:
    | UpdateStream.OnUpdate
    | ((update: UpdateStream.Update) => Effect.Effect<void, unknown>)
    | undefined
  /** One line about something that went wrong beside the work; `console.error` when absent. */
  readonly log?: ((line: string) => void) | undefined
  /** How the client names itself to the agent. */
  readonly info?: { readonly name: string; readonly version: string } | undefined
  /** How long `initialize` may stay unanswered, in ms (CLIENT-8). */
  readonly initializeTimeout?: number | undefined
  /** Why the connection ended, where somebody knows more than that it did: a process that exited. */
  readonly whyClosed?: Effect.Effect<string> | undefined
}

/** Where a session works; a path alone stands for `{ cwd: path }`. */
export interface Place {
  /** An absolute path. */
  readonly cwd: string
  /** More folders the session may work in, absolute paths. */
  readonly additionalDirectories?: ReadonlyArray<string> | undefined
  /** Servers the agent is to start for the session. */
  readonly mcpServers?: ReadonlyArray<McpServer> | undefined
}

export interface Connection {
  /** What the agent answered to `initialize`. */
  readonly agent: InitializeResponse
  /** Opens a session in a folder. */
  readonly newSession: (place: string | Place) => Effect.Effect<Session.Session, AgentFailed>
  /** Opens a kept session again; its history was delivered as updates when this settles. */
  readonly loadSession: (sessionId: string, place: string | Place) => Effect.Effect<Session.Session, AgentFailed>
  /** Opens a kept session again, without its history. */
  readonly resumeSession: (sessionId: string, place: string | Place) => Effect.Effect<Session.Session, AgentFailed>
  /** All sessions the agent knows, or those of a working directory; every page of them. */
  readonly listSessions: (filter?: {
    readonly cwd?: string | undefined
  }) => Effect.Effect<ReadonlyArray<SessionInfo>, AgentFailed>
  /** Has the agent delete a kept session, an open one as well. */
  readonly deleteSession: (sessionId: string) => Effect.Effect<void, AgentFailed>
  /** Logs in by one of the agent's `authMethods`; due when a session is refused with code -32000. */
  readonly authenticate: (methodId: string) => Effect.Effect<void, AgentFailed>
  /** Any other request; the answer is as it came, unchecked. */
  readonly request: AgentRequest.AgentRequest
  /** Waits until the connection is over, and gives the reason in words. */
  readonly closed: Effect.Effect<string>
}

const defaultInfo = { name: "acp-client-tools-client", version: "0.0.0" }

/** The place as the agent is told. What is undefined is not there as JSON. */
const toPlace = (place: string | Place) => ({ mcpServers: [], ...(typeof place === "string" ? { cwd: place } : place) })

const foldersOf = (place: string | Place): Service.Folders => {
  const { additionalDirectories = [], cwd }: Place = typeof place === "string" ? { cwd: place } : place
  return { additionalDirectories, cwd }
}

const isSessionInfo = (value: unknown): value is SessionInfo =>
  typeof Json.get(value, "sessionId") === "string" && typeof Json.get(value, "cwd") === "string"

const isOpened = (value: unknown): value is Session.Opened => Json.isObject(value)

/** Methods an agent need not offer, and where it says that it does. */
const offers = ({ agentCapabilities }: InitializeResponse, method: string): boolean => {
  if (method === "session/load") return agentCapabilities?.loadSession === true
  const capability: unknown = Json.get(agentCapabilities?.sessionCapabilities, method.slice("session/".length))
  return capability !== undefined && capability !== null && capability !== false
}

/** A list of more pages than this has no end. */
const MAX_PAGES = 1_000

/** How long one update may take to be handled when the connection has ended, in ms; then the rest is given up. */
const STUCK_AFTER = 5_000

const settles = (given: void | Promise<void> | Effect.Effect<void, unknown>): void | Promise<void> =>
  Effect.isEffect(given) ? Effect.runPromise(given) : given

/**
 * Connects and initialises. The connection is closed with the scope. An agent of another protocol version, or of none, is
 * refused (CLIENT-8).
 */
export const make = Effect.fnUntraced(function* (
  stream: Stream,
  {
    fs,
    info = defaultInfo,
    initializeTimeout = Initialize.TIMEOUT,
    log = (line) => console.error(line),
    onUpdate = () => undefined,
    permission = PermissionPolicy.deny,
    terminal,
    tools = ToolOffer.none,
    whyClosed = Effect.succeed(Wording.agentGone)
  }: Options = {}
): Effect.fn.Return<Connection, AgentFailed, Scope.Scope> {
  // What it throws must not become a fault of the connection.
  const say = (line: string): void => {
    try {
      log(line)
    } catch {
      // There is nobody to tell.
    }
  }
  const questions = PermissionQuestions.make()
  const listeners = UpdateListeners.make()
  const sessions = OpenSessions.make()
  const services = ClientServices.make({ fs, terminal }, sessions.foldersOf)
  const hear: UpdateStream.OnUpdate = (update) => {
    listeners.tell(update)
    return settles(onUpdate(update))
  }
  const updates = UpdateStream.split(stream, hear, (cause) => say(Wording.updateNotHandled(Thrown.text(cause))))
  const asking: PermissionAnswer.Asking = {
    policy: (...question) => Settle.settle(permission(...question), question[1]),
    questions,
    isOpen: (sessionId) => sessions.foldersOf(sessionId) !== undefined,
    say
  }
  const app = client({ name: info.name }).onRequest("session/request_permission", ({ params, signal }) =>
    PermissionAnswer.answer(asking, params, signal)
  )
  const endServices = (sessionId?: string): Promise<void> =>
    services.end(sessionId).catch((cause: unknown) => say(Wording.notEnded(Thrown.text(cause))))
  const ended = (sessionId?: string): Effect.Effect<void> => Effect.promise(() => endServices(sessionId))
  let isClosedHere = false
  const connection = yield* Effect.acquireRelease(
    Effect.sync(() => RequestHandler.answerOn(services.addTo(app), tools).connect(updates.stream)),
    (open) =>
      Effect.andThen(
        Effect.sync(() => {
          // An agent that is gone already ended it.
          isClosedHere = !open.signal.aborted
          open.close()
        }),
        ended()
      )
  )
  // One listener for the connection's whole life: those of a promise stay on it, also when nobody waits any more.
  const closed = yield* Deferred.make<void>()
  void connection.closed.then(() => {
    // Nobody asks any more for what still runs.
    void endServices()
    Deferred.doneUnsafe(closed, Effect.void)
  })
  const why = Effect.suspend(() => {
    if (isClosedHere) return Effect.succeed(Wording.closedHere)
    return connection.signal.reason instanceof MessageTooLargeError
      ? Effect.succeed(Wording.messageTooLarge)
      : whyClosed
  })
  const request = AgentRequest.make(connection.agent, why)

  const agent = yield* Initialize.answered(
    request("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: info,
      clientCapabilities: {
        ...services.capabilities,
        _meta: tools.capabilityMeta
      }
    }),
    initializeTimeout,
    say
  )

  /** A request of a method the agent may not offer. */
  const optional = (method: string, params: Json.JsonObject): Effect.Effect<unknown, AgentFailed> =>
    offers(agent, method)
      ? request(method, params)
      : Effect.fail(new AgentFailed({ message: Wording.agentLacks(method) }))

  const forget = (sessionId: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      questions.forget(sessionId)
      tools.forget(sessionId)
      sessions.remove(sessionId)
      return ended(sessionId)
    })

  // A slow handler gets its time; one that never ends must not keep what waits for it when there is no agent any more.
  const stuckAfterEnd = Effect.gen(function* () {
    yield* Deferred.await(closed)
    for (let before = -1; updates.count() !== before;) {
      before = updates.count()
      yield* Effect.sleep(STUCK_AFTER)
    }
  })
  const delivered = Effect.raceFirst(Effect.promise(updates.delivered), stuckAfterEnd)

  const host: Session.Host = {
    request,
    notify: (method, params) => void connection.agent.notify(method, params).catch(() => undefined),
    delivered,
    listen: listeners.listen,
    questions,
    close: (sessionId) =>
      Effect.suspend(() => {
        questions.cancel(sessionId)
        if (offers(agent, "session/close")) return request("session/close", { sessionId })
        host.notify("session/cancel", { sessionId })
        return Effect.void
      }).pipe(Effect.andThen(delivered), Effect.ensuring(forget(sessionId)))
  }

  const opened = (sessionId: string, answer: unknown): Session.Session =>
    Session.make(host, sessionId, isOpened(answer) ? answer : {})

  const reopen = Effect.fnUntraced(function* (method: string, sessionId: string, place: string | Place) {
    const before = sessions.get(sessionId)
    // Known before the agent is asked: it may read files while it opens the session.
    sessions.add(sessionId, foldersOf(place))
    const answer = yield* optional(method, { sessionId, ...toPlace(place) }).pipe(
      Effect.onError(() =>
        before === undefined ? forget(sessionId) : Effect.sync(() => sessions.add(sessionId, before))
      )
    )
    yield* delivered
    return opened(sessionId, answer)
  })

  return {
    agent,
    newSession: Effect.fnUntraced(function* (place: string | Place) {
      const folders = foldersOf(place)
      const answer = yield* sessions.opening(folders, request("session/new", toPlace(place)))
      const sessionId = Json.get(answer, "sessionId")
      if (typeof sessionId !== "string") return yield* AgentRequest.malformed("session/new", "sessionId")
      sessions.add(sessionId, folders)
      return opened(sessionId, answer)
    }),
    loadSession: (sessionId, place) => reopen("session/load", sessionId, place),
    resumeSession: (sessionId, place) => reopen("session/resume", sessionId, place),
    listSessions: Effect.fnUntraced(function* (filter = {}) {
      const found: Array<SessionInfo> = []
      const seen = new Set<unknown>()
      for (let cursor: unknown = undefined; !seen.has(cursor);) {
        if (seen.size === MAX_PAGES) return yield* new AgentFailed({ message: Wording.listWithoutEnd(MAX_PAGES) })
        seen.add(cursor)
        const page = yield* optional("session/list", cursor === undefined ? filter : { ...filter, cursor })
        const listed = Json.get(page, "sessions")
        if (!Array.isArray(listed)) return yield* AgentRequest.malformed("session/list", "sessions")
        for (const session of listed) if (isSessionInfo(session)) found.push(session)
        cursor = Json.get(page, "nextCursor") ?? undefined
      }
      return found
    }),
    deleteSession: (sessionId) => Effect.andThen(optional("session/delete", { sessionId }), forget(sessionId)),
    authenticate: (methodId) => Effect.asVoid(request("authenticate", { methodId })),
    request,
    closed: Deferred.await(closed).pipe(Effect.andThen(why))
  }
})
