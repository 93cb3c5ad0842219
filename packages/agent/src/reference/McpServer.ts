/**
 * An MCP server of a session, as the agent needs it (OWN-3). Started by Toolbox through the function AgentApp was given;
 * StdioServer of the `/mcp` entry is one.
 */
import type { McpServerStdio } from "@agentclientprotocol/sdk"
import type { GoDuration, JsonObject } from "@acp-client-tools/protocol"
import { type Effect, type Result, Schema, type Scope } from "effect"
import type { Answer } from "../Tool.ts"

/** The server could not be started. The message says why, for a line of a log. */
export class McpServerFailed extends Schema.TaggedError<McpServerFailed>()("McpServerFailed", {
  message: Schema.String
}) {}

export interface Options {
  /** The session's folder, in which the server runs. */
  readonly cwd: string
  /** Bound of the start, the list of its tools included. */
  readonly timeout: GoDuration.GoDuration
  /** The tools are not what they were. */
  readonly onChange: () => void
  /** Hears what goes wrong with the server later. */
  readonly log: (what: string) => void
  /** Hears what the server writes on stderr. */
  readonly debug: (what: string) => void
}

export interface McpServer {
  /** The entries of its list as it sent them; or, once it is gone, why it is. */
  readonly tools: () => Result.Result<ReadonlyArray<unknown>, string>
  /** Calls a tool by the server's own name of it. Interruption cancels the call at the server. */
  readonly call: (name: string, args: JsonObject) => Effect.Effect<Answer>
}

/** Starts a server and lists its tools. It is ended with the scope. */
export type Start = (server: McpServerStdio, options: Options) => Effect.Effect<McpServer, McpServerFailed, Scope.Scope>
