/**
 * An MCP server over stdio, by the client of the official MCP SDK (OWN-3). Given to AgentApp as `startMcpServer` by whoever runs
 * the reference agent on Node.
 */
import type { McpServerStdio } from "@agentclientprotocol/sdk"
import { Identifiers, Json, type JsonObject, SystemError, Wording } from "@acp-client-tools/protocol"
import { Client } from "@modelcontextprotocol/client"
import { Effect, Result, type Scope } from "effect"
import { type McpServer, McpServerFailed, type Options } from "../reference/McpServer.ts"
import type { Answer } from "../Tool.ts"
import * as ServerProcess from "./ServerProcess.ts"

/** Deadlines are the agent's: the longest a timer can be, in ms, in the place of the SDK's. */
const NO_TIMEOUT = 2 ** 31 - 1

/** A server whose list has more pages has no end of it. */
const MAX_PAGES = 1_000

/** Results are taken as they come: what is wrong in one is for CallResult and McpToolSet to say, a tool at a time. */
const anything = {
  "~standard": { version: 1, vendor: "acp-client-tools", validate: (value: unknown) => ({ value }) }
} as const

/** All entries of the server's list. Rejects with what the SDK, or the server, says. */
const listTools = async (client: Client, signal: AbortSignal): Promise<ReadonlyArray<unknown>> => {
  if (client.getServerCapabilities()?.tools === undefined) return []
  const entries: Array<unknown> = []
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = typeof cursor === "string" ? { cursor } : {}
    const request = client.request({ method: "tools/list", params }, anything, { signal, timeout: NO_TIMEOUT })
    const result: unknown = await request
    const tools = Json.get(result, "tools")
    if (!Array.isArray(tools)) throw new Error(Wording.noToolsArray)
    entries.push(...tools)
    cursor = Json.get(result, "nextCursor")
    if (typeof cursor !== "string") return entries
  }
  throw new Error(Wording.mcpListEndless(MAX_PAGES))
}

/** The content list, or where that is empty the structured content in its place. */
const toResult = (result: unknown): unknown => {
  const content = Json.get(result, "content")
  const structured = Json.get(result, "structuredContent")
  const isEmpty = Array.isArray(content) && content.length === 0 && Json.get(result, "isError") !== true
  return isEmpty && structured !== undefined ? structured : result
}

/** Errors of the server as it sent them; what else goes wrong with a call is the end of the connection. */
const toError = (server: string, cause: unknown): Answer => {
  const code = Json.get(cause, "code")
  const message = Json.get(cause, "message")
  return {
    kind: "error",
    error:
      typeof code === "number" && typeof message === "string"
        ? { code, message, data: Json.get(cause, "data") }
        : { code: Identifiers.INTERNAL_ERROR, message: Wording.mcpServerGone(server) }
  }
}

/** Starts the server in the session's folder and lists its tools. */
export const start = Effect.fnUntraced(function* (
  spec: McpServerStdio,
  { cwd, debug, log, onChange, timeout }: Options
): Effect.fn.Return<McpServer, McpServerFailed, Scope.Scope> {
  let lastSaid = ""
  const client = new Client({ name: "acp-client-tools", version: "0.1.0" })
  let tools: Result.Result<ReadonlyArray<unknown>, string> = Result.succeed([])
  let isListed = false
  let isEnding = false

  const change = (changed: typeof tools): void => {
    tools = changed
    onChange()
  }
  const server = ServerProcess.make(spec, cwd, {
    said: (line) => {
      lastSaid = line
      debug(Wording.mcpSaid(line))
    },
    ended: () => {
      if (!isListed || isEnding) return
      const why = Wording.mcpEnded(server.ending() ?? Wording.mcpStoppedWriting, lastSaid)
      change(Result.fail(why))
      log(why)
    }
  })
  client.setNotificationHandler("notifications/tools/list_changed", async () => {
    try {
      const listed = await listTools(client, AbortSignal.timeout(timeout.milliseconds))
      if (Result.isSuccess(tools)) change(Result.succeed(listed))
    } catch (cause) {
      if (Result.isSuccess(tools) && !isEnding) log(Wording.mcpListFailed(SystemError.reason(cause)))
    }
  })

  const whyNotStarted = (cause: unknown): McpServerFailed => {
    const ending = server.ending()
    if (ending !== undefined) return new McpServerFailed({ message: Wording.mcpEndedEarly(ending, lastSaid) })
    const reason = SystemError.reason(cause)
    if (Json.get(cause, "syscall") === undefined) return new McpServerFailed({ message: reason })
    // The system's word for a missing folder as well.
    const why = SystemError.code(cause) === "ENOENT" ? Wording.noSuchCommandOrFolder(cwd) : reason
    return new McpServerFailed({ message: Wording.mcpCannotRun(spec.command, why) })
  }

  yield* Effect.addFinalizer(() =>
    Effect.promise(() => {
      isEnding = true
      return server.end()
    })
  )
  const listed = yield* Effect.tryPromise({
    try: async (signal) => {
      await client.connect(server, { signal, timeout: NO_TIMEOUT })
      return listTools(client, signal)
    },
    catch: whyNotStarted
  }).pipe(
    Effect.timeoutOrElse({
      duration: timeout.milliseconds,
      orElse: () => Effect.fail(new McpServerFailed({ message: Wording.noAnswerWithin(timeout.text) }))
    }),
    // A server that did not start is not kept until the session's end.
    Effect.onError(() => Effect.promise(server.end))
  )
  tools = Result.succeed(listed)
  isListed = true

  return {
    tools: () => tools,
    call: (name: string, args: JsonObject) =>
      Effect.tryPromise({
        try: (signal) =>
          client.request({ method: "tools/call", params: { name, arguments: args } }, anything, {
            signal,
            timeout: NO_TIMEOUT
          }),
        catch: (cause) => toError(spec.name, cause)
      }).pipe(
        Effect.map((result): Answer => ({ kind: "result", result: toResult(result) })),
        Effect.catch((answer) => Effect.succeed(answer))
      )
  }
})
