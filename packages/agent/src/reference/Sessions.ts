/**
 * The sessions of one connection: which are open, and what can be done with them. Made by AgentApp, whose handlers it serves;
 * what it refuses, it refuses with an error of AcpError.
 */
import type {
  ClientCapabilities,
  ContentBlock,
  ListSessionsRequest,
  McpServer,
  SessionConfigOption,
  SessionUpdate,
  SetSessionConfigOptionRequest,
  StopReason
} from "@agentclientprotocol/sdk"
import { type AgentConfig, Wording } from "@acp-client-tools/protocol"
import { Cause, Effect, Exit, Fiber, Result, Scope } from "effect"
import type { ClientTools } from "../ClientTools.ts"
import * as Host from "../Host.ts"
import * as AcpError from "./AcpError.ts"
import * as ConfigOptions from "./ConfigOptions.ts"
import type { Files } from "./Files.ts"
import * as History from "./History.ts"
import type { Start } from "./McpServer.ts"
import type { Model } from "./Model.ts"
import * as PromptContent from "./PromptContent.ts"
import * as PromptTurn from "./PromptTurn.ts"
import * as Session from "./Session.ts"
import * as SessionId from "./SessionId.ts"
import type { Page, SessionStore } from "./SessionStore.ts"
import * as SessionWork from "./SessionWork.ts"
import * as Toolbox from "./Toolbox.ts"
import * as ToolsCommand from "./ToolsCommand.ts"

export interface Options {
  readonly config: AgentConfig.AgentConfig
  readonly model: Model
  readonly store: SessionStore
  /** Writes one line on stderr. */
  readonly log: (line: string) => void
  readonly debug: (line: string) => void
  readonly files?: Files | undefined
  readonly startMcpServer?: Start | undefined
}

/** What `initialize` settled for the sessions opened after it (META-3). */
export interface Client {
  readonly tools: ClientTools
  readonly capabilities: ClientCapabilities | undefined
  readonly host: Host.Host
}

/** A session as the client names it when it wants it opened. */
export interface Request {
  readonly sessionId: string
  readonly cwd: string
  readonly mcpServers?: ReadonlyArray<McpServer> | undefined
}

/** What the answers to `session/new`, `load` and `resume` have in common. */
export interface Answer {
  readonly configOptions: Array<SessionConfigOption>
}

export interface Sessions {
  readonly create: (
    client: Client,
    request: Omit<Request, "sessionId">,
    signal: AbortSignal
  ) => Promise<Answer & { readonly sessionId: string }>
  /** Loads a session, telling its history again (SESS-2). */
  readonly load: (client: Client, request: Request, signal: AbortSignal) => Promise<Answer>
  readonly resume: (client: Client, request: Request, signal: AbortSignal) => Promise<Answer>
  readonly prompt: (sessionId: string, prompt: ReadonlyArray<ContentBlock>, signal: AbortSignal) => Promise<StopReason>
  readonly cancel: (sessionId: string) => void
  readonly close: (sessionId: string) => Promise<void>
  readonly remove: (sessionId: string) => Promise<void>
  readonly list: (query: ListSessionsRequest) => Promise<Page>
  /** Tells the client what it can do in a session it has just opened: after it has the answer to that. */
  readonly announce: (sessionId: string) => void
  readonly setConfigOption: (client: Client, request: SetSessionConfigOptionRequest) => Answer
  /** Closes all that is open: the connection has ended. */
  readonly closeAll: Effect.Effect<void>
}

const isAbsolute = (path: string): boolean => /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path)

const checkCwd = (cwd: string): void => {
  if (!isAbsolute(cwd)) throw AcpError.invalidParams(Wording.cwdMustBeAbsolute)
}

const answerOf = ({ capabilities }: Client, { context }: Session.Session): Answer => ({
  configOptions: ConfigOptions.list(context.grants, ConfigOptions.hasSwitches(capabilities))
})

export const make = ({ config, debug, files, log, model, startMcpServer, store }: Options): Sessions => {
  const open = new Map<string, Session.Session>()
  const work = SessionWork.make()

  const openHere = (sessionId: string): Session.Session => {
    const session = open.get(sessionId)
    if (session === undefined) throw AcpError.unknownSession(sessionId)
    return session
  }

  /** Gets a session its tools and opens it, in the place of what was open of it before. */
  const openWith = Effect.fnUntraced(function* (
    { capabilities, host, tools: clientTools }: Client,
    { cwd, mcpServers = [], sessionId }: Request,
    past: Session.Past,
    replays: boolean
  ) {
    const { grants, history } = past
    const scope = yield* Scope.make()
    const { acp, builtInTools } = config
    const { timeout } = acp.clientTools
    const opening = Effect.gen(function* () {
      const toolbox = yield* Toolbox.open(
        { sessionId, cwd, grants, mcpServers },
        { builtInTools, clientTools, capabilities, host, timeout, files, startMcpServer, log, debug }
      ).pipe(Scope.provide(scope))
      if (replays) {
        const replay = (update: SessionUpdate) => Host.report(host, sessionId, update)
        yield* Effect.forEach(history.updates(), replay, { discard: true })
      }
      return toolbox
    })
    const toolbox = yield* opening.pipe(
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
    )
    const before = open.get(sessionId)
    const session = Session.make(config, model, toolbox, past, Scope.close(scope, Exit.void))
    open.set(sessionId, session)
    debug(`session ${sessionId} opened with ${toolbox.contents().tools.size} tools`)
    if (before !== undefined) yield* before.end
    return session
  })

  const reopen = async (client: Client, request: Request, replays: boolean, signal: AbortSignal): Promise<Answer> => {
    const { cwd, sessionId } = request
    checkCwd(cwd)
    if (!SessionId.is(sessionId)) throw AcpError.unknownSession(sessionId)
    work.refuseBusy(sessionId)
    const before = open.get(sessionId)
    const opening =
      before === undefined
        ? Effect.acquireUseRelease(
            store.open(sessionId, cwd),
            ({ entries, log: kept }) =>
              openWith(client, request, { log: kept, history: History.make(kept, entries) }, replays),
            ({ log: kept }, exit) => (Exit.isSuccess(exit) ? Effect.void : kept.close)
          )
        : openWith(client, request, Session.past(before), replays)
    return answerOf(client, AcpError.resultOf(await work.start("opening", sessionId, opening, signal)))
  }

  /** Ends what a session is busy with, and closes it. */
  const closing = Effect.fnUntraced(function* (sessionId: string, busyWith: SessionWork.Work | undefined) {
    if (busyWith !== undefined) yield* Fiber.interrupt(busyWith.fiber)
    const session = open.get(sessionId)
    open.delete(sessionId)
    if (session !== undefined) yield* Effect.andThen(session.end, session.log.close)
    debug(`session ${sessionId} closed`)
  }, Effect.uninterruptible)

  const isKnown = (sessionId: string): boolean => open.has(sessionId) || work.of(sessionId) !== undefined

  /** Closes a session, unless that is being done, and does the rest, as one piece of work. */
  const close = <E>(sessionId: string, rest: Effect.Effect<void, E>): Promise<Exit.Exit<void, E>> => {
    const busyWith = work.of(sessionId)
    const closed =
      busyWith?.kind === "closing" ? Effect.asVoid(Fiber.await(busyWith.fiber)) : closing(sessionId, busyWith)
    return work.start("closing", sessionId, Effect.andThen(closed, rest))
  }

  return {
    create: async (client, request, signal) => {
      const { cwd } = request
      checkCwd(cwd)
      const sessionId = Effect.runSync(SessionId.make)
      const opening = Effect.acquireUseRelease(
        store.create(sessionId, cwd),
        (kept) => openWith(client, { ...request, sessionId }, { log: kept, history: History.make(kept) }, false),
        // A session that nobody heard of leaves no trace.
        (kept, exit) =>
          Exit.isSuccess(exit) ? Effect.void : Effect.ignore(Effect.andThen(kept.close, store.remove(sessionId)))
      )
      const session = AcpError.resultOf(await work.start("opening", sessionId, opening, signal))
      return { sessionId, ...answerOf(client, session) }
    },

    load: (client, request, signal) => reopen(client, request, true, signal),

    resume: (client, request, signal) => reopen(client, request, false, signal),

    prompt: async (sessionId, prompt, signal) => {
      work.refuseBusy(sessionId)
      const session = openHere(sessionId)
      const content = PromptContent.decode(prompt)
      if (Result.isFailure(content)) throw AcpError.invalidParams(content.failure)
      const { run } = ToolsCommand.isIn(content.success) ? ToolsCommand : PromptTurn
      const exit = await work.start("turn", sessionId, run(session.context, content.success), signal)
      const isCancelled = Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)
      const stopReason = isCancelled ? "cancelled" : AcpError.resultOf(exit)
      debug(`session ${sessionId} ended a turn with ${stopReason}`)
      return stopReason
    },

    cancel: (sessionId) => {
      const busyWith = work.of(sessionId)
      if (busyWith?.kind === "turn") busyWith.fiber.interruptUnsafe()
    },

    close: async (sessionId) => {
      if (!isKnown(sessionId)) throw AcpError.unknownSession(sessionId)
      AcpError.resultOf(await close(sessionId, Effect.void))
    },

    remove: async (sessionId) => {
      if (SessionId.is(sessionId)) AcpError.resultOf(await close(sessionId, store.remove(sessionId)))
    },

    list: async ({ cursor, cwd }) => {
      if (typeof cwd === "string") checkCwd(cwd)
      const query = { cwd: cwd ?? undefined, cursor: cursor ?? undefined, untitled: new Set(open.keys()) }
      return AcpError.resultOf(await Effect.runPromiseExit(store.list(query)))
    },

    announce: (sessionId) => {
      const session = open.get(sessionId)
      if (session === undefined) return
      Effect.runFork(Host.report(session.context.host, sessionId, ToolsCommand.announcement))
    },

    setConfigOption: (client, request) => {
      const session = openHere(request.sessionId)
      const problem = ConfigOptions.set(session.context.grants, request)
      if (problem !== undefined) throw AcpError.invalidParams(problem)
      return answerOf(client, session)
    },

    closeAll: Effect.suspend(() => {
      const all = new Set([...open.keys(), ...work.sessionIds()])
      return Effect.promise(() => Promise.all([...all].map((sessionId) => close(sessionId, Effect.void))))
    }).pipe(Effect.asVoid)
  }
}
