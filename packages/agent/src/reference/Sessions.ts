/**
 * The sessions of one connection: which are open, and the one piece of work each may have running, a prompt turn, a load or
 * a close. Made by AgentApp, whose handlers it serves; what it refuses, it refuses with an error of AcpError.
 */
import type {
  ClientCapabilities,
  ContentBlock,
  ListSessionsRequest,
  SessionConfigOption,
  SessionUpdate,
  SetSessionConfigOptionRequest,
  StopReason
} from "@agentclientprotocol/sdk"
import { type AgentConfig, Wording } from "@acp-client-tools/protocol"
import { Cause, Effect, Exit, Fiber } from "effect"
import type { ClientTools } from "../ClientTools.ts"
import * as SameChunk from "../SameChunk.ts"
import * as AcpError from "./AcpError.ts"
import * as ConfigOptions from "./ConfigOptions.ts"
import * as History from "./History.ts"
import type { Model } from "./Model.ts"
import * as PromptContent from "./PromptContent.ts"
import * as PromptTurn from "./PromptTurn.ts"
import * as Session from "./Session.ts"
import * as SessionId from "./SessionId.ts"
import type { Page, SessionInfo, SessionStore } from "./SessionStore.ts"

export interface Options {
  readonly config: AgentConfig.AgentConfig
  readonly model: Model
  readonly store: SessionStore
  /** Writes one line on stderr. */
  readonly log: (line: string) => void
  readonly debug: (line: string) => void
}

/** What `initialize` settled for the sessions opened after it (META-3). */
export interface Client {
  readonly tools: ClientTools
  readonly capabilities: ClientCapabilities | undefined
}

/** A session as the client names it when it wants it opened. */
export interface Request {
  readonly sessionId: string
  readonly cwd: string
}

/** What the answers to `session/new`, `load` and `resume` have in common. */
export interface Opened {
  readonly configOptions: Array<SessionConfigOption>
}

export interface Sessions {
  readonly create: (
    client: Client,
    cwd: string,
    signal: AbortSignal
  ) => Promise<Opened & { readonly sessionId: string }>
  /** Loads a session, telling its history again (SESS-2). */
  readonly load: (client: Client, request: Request, signal: AbortSignal) => Promise<Opened>
  readonly resume: (client: Client, request: Request, signal: AbortSignal) => Promise<Opened>
  readonly prompt: (sessionId: string, prompt: ReadonlyArray<ContentBlock>, signal: AbortSignal) => Promise<StopReason>
  readonly cancel: (sessionId: string) => void
  readonly close: (sessionId: string) => Promise<void>
  readonly remove: (sessionId: string) => Promise<void>
  readonly list: (query: ListSessionsRequest) => Promise<Page>
  readonly setConfigOption: (client: Client, request: SetSessionConfigOptionRequest) => Opened
  /** Closes all that is open: the connection has ended. */
  readonly closeAll: Effect.Effect<void>
}

/** What a session is busy with. There is one at a time: the next is refused or, where it is a close, ends it. */
interface Work {
  readonly kind: "turn" | "opening" | "closing"
  readonly fiber: Fiber.Fiber<unknown, unknown>
}

const busy: Record<Work["kind"], string> = {
  turn: Wording.promptRunning,
  opening: Wording.sessionOpening,
  closing: Wording.sessionClosing
}

const isAbsolute = (path: string): boolean => /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path)

const checkCwd = (cwd: string): void => {
  if (!isAbsolute(cwd)) throw AcpError.invalidParams(Wording.cwdMustBeAbsolute)
}

const opened = ({ capabilities }: Client, { context }: Session.Session): Opened => ({
  configOptions: ConfigOptions.list(context.grants, ConfigOptions.hasSwitches(capabilities))
})

export const make = ({ config, debug, log, model, store }: Options): Sessions => {
  const open = new Map<string, Session.Session>()
  const running = new Map<string, Work>()

  /** Runs work for a session. It is registered before anything is awaited: whatever comes next finds it running. */
  const start = <A, E>(
    kind: Work["kind"],
    sessionId: string,
    effect: Effect.Effect<A, E>,
    options?: { readonly signal: AbortSignal }
  ): Promise<Exit.Exit<A, E>> => {
    const fiber = Effect.runFork(effect, options)
    const work: Work = { kind, fiber }
    running.set(sessionId, work)
    return new Promise((resolve) => {
      fiber.addObserver((exit) => {
        if (running.get(sessionId) === work) running.delete(sessionId)
        resolve(exit)
      })
    })
  }

  const refuseBusy = (sessionId: string): void => {
    const work = running.get(sessionId)
    if (work !== undefined) throw AcpError.invalidRequest(busy[work.kind])
  }

  const openHere = (sessionId: string): Session.Session => {
    const session = open.get(sessionId)
    if (session === undefined) throw AcpError.unknownSession(sessionId)
    return session
  }

  /** Gets a session its tools and opens it. */
  const openWith = Effect.fnUntraced(function* (
    client: Client,
    { cwd, sessionId }: Request,
    past: Session.Past,
    replays: boolean
  ) {
    const tools = yield* client.tools.openSession({ sessionId, cwd, ...(past.grants && { grants: past.grants }) })
    tools.lines.forEach(log)
    const session = Session.make(config, model, tools, past)
    const { history, host } = session.context
    if (replays) {
      const replay = (update: SessionUpdate) => host.report?.(sessionId, update) ?? Effect.void
      yield* Effect.forEach(history.updates(), replay, { discard: true })
    }
    open.set(sessionId, session)
    debug(`session ${sessionId} opened with ${tools.tools.length} client tools`)
    return opened(client, session)
  })

  const reopen = async (client: Client, request: Request, replays: boolean, signal: AbortSignal): Promise<Opened> => {
    const { cwd, sessionId } = request
    checkCwd(cwd)
    if (!SessionId.is(sessionId)) throw AcpError.unknownSession(sessionId)
    refuseBusy(sessionId)
    const before = open.get(sessionId)
    const work =
      before === undefined
        ? Effect.acquireUseRelease(
            store.open(sessionId, cwd),
            ({ entries, log: kept }) =>
              openWith(client, request, { log: kept, history: History.make(kept, entries) }, replays),
            ({ log: kept }, exit) => (Exit.isSuccess(exit) ? Effect.void : kept.close)
          )
        : openWith(client, request, Session.past(before), replays)
    return AcpError.resultOf(await start("opening", sessionId, work, { signal }))
  }

  const closing = Effect.fnUntraced(function* (sessionId: string, work: Work | undefined) {
    if (work !== undefined) yield* Fiber.interrupt(work.fiber)
    // The prompt that was ended is answered first (SESS-3).
    yield* SameChunk.handled
    const session = open.get(sessionId)
    open.delete(sessionId)
    if (session !== undefined) yield* session.log.close
    debug(`session ${sessionId} closed`)
  }, Effect.uninterruptible)

  /** Ends what a session is busy with, and closes it. False when it is not open. */
  const end = async (sessionId: string): Promise<boolean> => {
    const work = running.get(sessionId)
    if (work === undefined && !open.has(sessionId)) return false
    if (work?.kind === "closing") await Effect.runPromise(Fiber.await(work.fiber))
    else await start("closing", sessionId, closing(sessionId, work))
    return true
  }

  return {
    create: async (client, cwd, signal) => {
      checkCwd(cwd)
      const sessionId = Effect.runSync(SessionId.make)
      const work = Effect.acquireUseRelease(
        store.create(sessionId, cwd),
        (kept) => openWith(client, { sessionId, cwd }, { log: kept, history: History.make(kept) }, false),
        // A session that nobody heard of leaves no trace.
        (kept, exit) =>
          Exit.isSuccess(exit) ? Effect.void : Effect.ignore(Effect.andThen(kept.close, store.remove(sessionId)))
      )
      return { sessionId, ...AcpError.resultOf(await start("opening", sessionId, work, { signal })) }
    },

    load: (client, request, signal) => reopen(client, request, true, signal),

    resume: (client, request, signal) => reopen(client, request, false, signal),

    prompt: async (sessionId, prompt, signal) => {
      refuseBusy(sessionId)
      const session = openHere(sessionId)
      const content = PromptContent.decode(prompt)
      if (typeof content === "string") throw AcpError.invalidParams(Wording.blockNotSupported(content))
      const exit = await start("turn", sessionId, PromptTurn.run(session.context, content), { signal })
      const isCancelled = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
      const stopReason = isCancelled ? "cancelled" : AcpError.resultOf(exit)
      debug(`session ${sessionId} ended a turn with ${stopReason}`)
      return stopReason
    },

    cancel: (sessionId) => {
      const work = running.get(sessionId)
      if (work?.kind === "turn") work.fiber.interruptUnsafe()
    },

    close: async (sessionId) => {
      if (!(await end(sessionId))) throw AcpError.unknownSession(sessionId)
    },

    remove: async (sessionId) => {
      await end(sessionId)
      if (SessionId.is(sessionId)) AcpError.resultOf(await Effect.runPromiseExit(store.remove(sessionId)))
    },

    list: async ({ cursor, cwd }) => {
      if (typeof cwd === "string") checkCwd(cwd)
      if (typeof cursor === "string" && !SessionId.is(cursor)) throw AcpError.invalidParams(Wording.unknownCursor)
      // A session that nobody ever prompted is nothing to come back to.
      const accepts = (info: SessionInfo): boolean =>
        (info.title !== undefined || open.has(info.sessionId)) && (typeof cwd !== "string" || info.cwd === cwd)
      return AcpError.resultOf(await Effect.runPromiseExit(store.list({ accepts, cursor: cursor ?? undefined })))
    },

    setConfigOption: (client, request) => {
      const session = openHere(request.sessionId)
      const problem = ConfigOptions.set(session.context.grants, request)
      if (problem !== undefined) throw AcpError.invalidParams(problem)
      return opened(client, session)
    },

    closeAll: Effect.suspend(() => {
      const all = new Set([...open.keys(), ...running.keys()])
      return Effect.promise(() => Promise.all([...all].map(end)))
    }).pipe(Effect.asVoid)
  }
}
