/**
 * The extension for anybody's ACP agent: learns a client's tools, tells them to the model, calls them. An agent makes
 * it from the `initialize` request, opens its sessions in it and passes the model's calls on.
 */
import type { InitializeRequest } from "@agentclientprotocol/sdk"
import {
  AgentConfig,
  Discovery,
  Identifiers,
  Json,
  type JsonObject,
  type ToolDeclaration,
  Wording
} from "@acp-client-tools/protocol"
import { Effect, Option, Result } from "effect"
import type { ConnectionClosed, Host } from "./Host.ts"
import * as LoopDetector from "./LoopDetector.ts"
import type { Grants, Mode } from "./Permission.ts"
import * as Tool from "./Tool.ts"
import * as ToolCall from "./ToolCall.ts"

/** The part of the agent's configuration that concerns client tools (CFG-1). */
export interface Settings {
  /** `false`: the extension is off (CFG-2). */
  readonly enabled: boolean
  readonly discovery: Discovery.Mode
  readonly permissions: Mode
  /** What a session begins with: `true`, and tools run without a question, unless `permissions` is `ask`. */
  readonly yolo: boolean
  /** Bound of one call, and of the list request. */
  readonly timeout: AgentConfig.AgentConfig["acp"]["clientTools"]["timeout"]
  /** Code points the model reads of one result. */
  readonly maxOutput: number
  /** When repeated calls are flagged, and when they stop a turn. */
  readonly loopDetector: LoopDetector.Limits
}

/** The settings an agent file asks for. */
export const settingsOf = (config: AgentConfig.AgentConfig): Settings => ({
  ...config.acp.clientTools,
  yolo: config.yolo,
  maxOutput: config.maxOutput,
  loopDetector: config.loopDetector
})

/** Settings as a host writes them; what is left out is as in an empty agent file. */
export interface SettingsInput {
  readonly enabled?: boolean
  readonly discovery?: "meta" | "request"
  readonly permissions?: "auto" | "ask"
  /** As in the agent file: `30s`. */
  readonly timeout?: string
  readonly yolo?: boolean
  readonly maxOutput?: number
  readonly loopDetector?: Partial<LoopDetector.Limits>
}

/** The settings, or what is wrong with them: a line a fault. */
export const decodeSettings = ({
  loopDetector,
  maxOutput,
  yolo,
  ...clientTools
}: SettingsInput): Result.Result<Settings, string> => {
  const given = Object.entries({ loopDetector, maxOutput, yolo }).filter(([, value]) => value !== undefined)
  return AgentConfig.decode({ acp: { clientTools }, ...Object.fromEntries(given) }).config.pipe(
    Result.map(settingsOf),
    Result.mapError((problems) =>
      problems
        .map(({ accepted, path, value }) =>
          Wording.configProblem(AgentConfig.keyName(path), Json.stringify(value), accepted)
        )
        .join("\n")
    )
  )
}

/** The settings of an empty agent file. */
const defaults: Settings = Result.getOrThrow(decodeSettings({}))

export interface Options {
  readonly host: Host
  /** Made by `settingsOf` from an agent file, or by `decodeSettings`; without it the defaults of CFG-1 hold. */
  readonly settings?: Settings
  /** Names of the agent's own tools: a client tool of such a name is skipped (LIST-5). */
  readonly reserved?: Iterable<string>
}

/** The session whose tools are wanted. */
export interface SessionRequest {
  readonly sessionId: string
  /** As the client sent it. */
  readonly cwd: string
  /** Of the session as it was open until now, when it is loaded again; absent: the user has allowed nothing yet. */
  readonly grants?: Grants | undefined
  /** Names of further tools, those of this session alone: a client tool of such a name is skipped (LIST-5). */
  readonly reserved?: Iterable<string> | undefined
}

/** The client tools of one connection. */
export interface ClientTools {
  /** What to print on stderr after `initialize`, one event a line (LOG-1, LOG-3, META-2). */
  readonly lines: ReadonlyArray<string>
  /** What to put into `agentCapabilities._meta` of the answer to `initialize` (META-4). */
  readonly capabilityMeta: JsonObject
  /**
   * The tools of a session, for use while `session/new`, `session/load` or `session/resume` is handled, before it is
   * answered. In mode `request` this asks the client; a list that cannot be had means no tools and one line, never a
   * failure (REQ-2 to REQ-5).
   */
  readonly openSession: (session: SessionRequest) => Effect.Effect<SessionTools, ConnectionClosed>
}

/** The client tools of one session. */
export interface SessionTools extends Discovery.Discovered {
  /** What the model is told, sorted by name. */
  readonly declarations: ReadonlyArray<ToolDeclaration.ToolDeclaration>
  /** The tools by model name, for agents that run calls of several kinds of tools through one pipeline. */
  readonly byModelName: ReadonlyMap<string, Tool.Tool>
  /** Where this session's calls happen; what the user allows for the session is remembered in it. */
  readonly context: ToolCall.Context
  /** A detector for one prompt turn, to be given to each of its calls; the next turn gets another (LOOP-1). */
  readonly newLoopDetector: () => LoopDetector.LoopDetector
  /**
   * Runs one call: required check, permission, request, decode, loop count, cut, each step reported. Gives the text for the
   * model. Interruption (a cancelled turn) cancels the request at the client and reports the call as failed.
   */
  readonly call: (
    requested: ToolCall.Requested,
    options?: {
      /** The turn's; without it nothing is counted. */
      readonly loop?: LoopDetector.LoopDetector | undefined
    }
  ) => Effect.Effect<ToolCall.Result, ConnectionClosed>
}

/** How the list request of a session ended; interruption and a lost connection are not ends of it. */
const askForList = (
  { cwd, sessionId }: SessionRequest,
  host: Host,
  timeout: Settings["timeout"]
): Effect.Effect<Discovery.ListOutcome, ConnectionClosed> =>
  host.request(Identifiers.LIST_METHOD, { sessionId, cwd }).pipe(
    Effect.map((result): Discovery.ListOutcome => ({ kind: "result", result })),
    Effect.catchTag("RequestRejected", ({ error }) => Effect.succeed({ kind: "error", error } as const)),
    Effect.timeoutOption(timeout.milliseconds),
    Effect.map(Option.getOrElse((): Discovery.ListOutcome => ({ kind: "timeout", timeout: timeout.text })))
  )

const sessionTools = (
  discovered: Discovery.Discovered,
  context: ToolCall.Context,
  { loopDetector, permissions, timeout }: Settings
): SessionTools => {
  const options = { host: context.host, permissions, timeout }
  const tools = discovered.tools.map((tool) => [tool.modelName, Tool.fromClientTool(tool, options)] as const)
  const byModelName = new Map(tools)
  return {
    ...discovered,
    declarations: tools.map(([, { declaration }]) => declaration),
    byModelName,
    context,
    newLoopDetector: () => LoopDetector.make(loopDetector),
    call: Effect.fnUntraced(function* (requested, turn = {}) {
      const call = ToolCall.make(byModelName.get(requested.name), requested, { ...context, ...turn })
      yield* ToolCall.runAll([call])
      return yield* call.end(true)
    })
  }
}

/**
 * Reads `clientCapabilities._meta` of an `initialize` request. A second `initialize` is read anew; sessions opened before
 * keep what they have (META-3).
 */
export const fromInitialize = (
  request: Pick<InitializeRequest, "clientCapabilities">,
  { host, reserved = [], settings = defaults }: Options
): ClientTools => {
  const taken = [...reserved]
  const advertisement: Discovery.Advertisement = settings.enabled
    ? Discovery.fromMeta(request.clientCapabilities?._meta)
    : { kind: "absent" }
  const asks = settings.discovery === "request"
  const ofConnection = asks ? Discovery.nothing : Discovery.fromAdvertisement(advertisement, { reserved: taken })
  return {
    lines: ofConnection.lines,
    capabilityMeta: settings.enabled ? { [Identifiers.DISCOVERY_META_KEY]: settings.discovery } : {},
    openSession: Effect.fnUntraced(function* (session) {
      const context: ToolCall.Context = {
        sessionId: session.sessionId,
        host,
        grants: session.grants ?? { yolo: settings.yolo, always: new Set() },
        maxOutput: settings.maxOutput
      }
      const reservedHere = [...taken, ...(session.reserved ?? [])]
      if (!asks) {
        const discovered = Discovery.forSession(advertisement, ofConnection, { reserved: reservedHere })
        return sessionTools(discovered, context, settings)
      }
      if (!Discovery.isAsked(advertisement)) return sessionTools(Discovery.nothing, context, settings)
      const outcome = yield* askForList(session, host, settings.timeout)
      const discovered = Discovery.fromListOutcome(session.sessionId, outcome, { reserved: reservedHere })
      return sessionTools(discovered, context, settings)
    })
  }
}
