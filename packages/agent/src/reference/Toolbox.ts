/**
 * All the tools of a session: the agent's own, those of its MCP servers, the client's. Where two have one name, the first in
 * this order has it (LIST-5). Opened by Sessions with every session, read by PromptTurn and ToolsCommand.
 */
import type { ClientCapabilities, McpServer as McpServerSpec, McpServerStdio } from "@agentclientprotocol/sdk"
import { Wording } from "@acp-client-tools/protocol"
import { Effect, Result, type Scope } from "effect"
import type { ClientTools, SessionRequest, SessionTools, Settings } from "../ClientTools.ts"
import type { ConnectionClosed, Host } from "../Host.ts"
import * as Tool from "../Tool.ts"
import * as BuiltInTools from "./BuiltInTools.ts"
import type { Files } from "./Files.ts"
import type { McpServer, Start } from "./McpServer.ts"
import * as McpTools from "./McpTools.ts"

/** Something that might have been a tool, and why it is none. */
export interface LeftOut {
  readonly source: string
  readonly what: string
}

/** What there is at one moment: an MCP server may end, or change its mind. */
export interface Contents {
  /** By the name the model knows, in the order it is told of them. */
  readonly tools: ReadonlyMap<string, Tool.Tool>
  readonly leftOut: ReadonlyArray<LeftOut>
}

export interface Toolbox {
  readonly contents: () => Contents
  /** The client's part of it. */
  readonly clientTools: SessionTools
}

export interface Options {
  /** Whether the agent's own tools are among them. */
  readonly builtInTools: boolean
  readonly clientTools: ClientTools
  readonly capabilities: ClientCapabilities | undefined
  readonly host: Host
  readonly timeout: Settings["timeout"]
  /** Absent: the agent's own tools do not look at its machine. */
  readonly files?: Files | undefined
  /** Absent: MCP servers are not started. */
  readonly startMcpServer?: Start | undefined
  readonly log: (line: string) => void
  readonly debug: (line: string) => void
}

/** The session, and the MCP servers that were given with it. */
export interface Request extends Omit<SessionRequest, "reserved"> {
  readonly mcpServers: ReadonlyArray<McpServerSpec>
}

interface Named {
  readonly name: string
  readonly server: McpServer
}

const isStdio = (spec: McpServerSpec): spec is McpServerStdio => !("type" in spec)

/** In the place of a server that does not run. */
const absent = (why: string): McpServer => ({
  tools: () => Result.fail(why),
  call: () => Effect.succeed(Tool.failed(why))
})

/**
 * Starts the session's servers and asks for the client's tools. A server or a list that cannot be had is a line, and never a
 * failure. Servers end with the scope.
 */
export const open = Effect.fnUntraced(function* (
  { mcpServers, ...session }: Request,
  { builtInTools, capabilities, clientTools, debug, files, host, log, startMcpServer, timeout }: Options
): Effect.fn.Return<Toolbox, ConnectionClosed, Scope.Scope> {
  const { cwd, sessionId } = session
  const builtIn = builtInTools ? BuiltInTools.make({ sessionId, cwd, host, timeout }, capabilities, files) : []
  const told = new Set<string>()
  let contents: Contents | undefined

  /** What went wrong is told once, whoever notices first. */
  const tell = (server: string, what: string) => {
    const line = Wording.logMcp(sessionId, server, what)
    if (!told.has(line)) log(line)
    told.add(line)
  }

  const start = (spec: McpServerSpec): Effect.Effect<McpServer, never, Scope.Scope> => {
    if (!isStdio(spec)) return Effect.succeed(absent(Wording.mcpNotStdio(spec.type)))
    if (startMcpServer === undefined) return Effect.succeed(absent(Wording.mcpNotServed))
    return startMcpServer(spec, {
      cwd,
      timeout,
      onChange: () => {
        contents = undefined
      },
      log: (what) => tell(spec.name, what),
      debug: (what) => debug(Wording.logMcp(sessionId, spec.name, what))
    }).pipe(Effect.catchTag("McpServerFailed", ({ message }) => Effect.succeed(absent(Wording.mcpNotStarted(message)))))
  }

  const servers = yield* Effect.forEach(
    mcpServers,
    (spec) => Effect.map(start(spec), (server): Named => ({ name: spec.name, server })),
    { concurrency: "unbounded" }
  )

  /** All but the client's. */
  const own = () => {
    const tools = new Map(builtIn.map((tool) => [tool.declaration.name, tool]))
    const leftOut: Array<LeftOut> = []
    for (const { name, server } of servers) {
      const more = McpTools.make(name, server, timeout, tools.keys())
      more.tools.forEach((tool) => tools.set(tool.declaration.name, tool))
      more.leftOut.forEach((what) => {
        tell(name, what)
        leftOut.push({ source: Wording.sourceMcp(name), what })
      })
    }
    return { tools, leftOut }
  }

  const ofClient = yield* clientTools.openSession({ ...session, reserved: own().tools.keys() })
  ofClient.lines.forEach(log)

  /** All of it. A server may have listed a tool of a client's name meanwhile. */
  const all = (): Contents => {
    const { leftOut, tools } = own()
    const leave = (what: string) => leftOut.push({ source: Wording.sourceClient, what })
    if (ofClient.problem !== undefined) leave(ofClient.problem)
    ofClient.skipped.forEach(({ index, reason }) => leave(Wording.entrySkipped(index, reason)))
    for (const [name, tool] of ofClient.byModelName) {
      if (tools.has(name)) leave(Wording.duplicateToolName(name))
      else tools.set(name, tool)
    }
    return { tools, leftOut }
  }

  return { contents: () => (contents ??= all()), clientTools: ofClient }
})
