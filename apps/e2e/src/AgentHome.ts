/** The files of an agent with a scripted model, and its sessions: it can be started again and find them. Used by tests. */
import { readdir, readFile } from "node:fs/promises"
import type { Json } from "@acp-client-tools/protocol"
import * as Command from "./Command.ts"
import * as Folder from "./Folder.ts"
import * as RawClient from "./RawClient.ts"

export interface AgentHome extends AsyncDisposable {
  /** Starts the agent; `flags` go behind its `--config`. */
  readonly start: (options?: RawClient.Options, ...flags: ReadonlyArray<string>) => RawClient.RawClient
  readonly command: Command.Command
  readonly path: Folder.Folder["path"]
  /** The path of a session's file. */
  readonly sessionFile: (sessionId: string) => string
  /** The text of a session's file. */
  readonly readSession: (sessionId: string) => Promise<string>
  /** The names of all files of sessions. */
  readonly sessionFiles: () => Promise<ReadonlyArray<string>>
}

/** `steps` are the script's; `config` is the agent file beside its model. */
export const make = async (
  steps: ReadonlyArray<Json.JsonObject>,
  config: Json.JsonObject = {},
  model: Json.JsonObject = { provider: "script", script: "./steps.yaml" }
): Promise<AgentHome> => {
  const folder = await Folder.make({
    "agent.yaml": JSON.stringify({ model, sessions: { directory: "./sessions" }, ...config }),
    "steps.yaml": JSON.stringify({ steps })
  })
  const sessionFile = (sessionId: string) => folder.path(`sessions/${sessionId}.jsonl`)
  return {
    start: (options, ...flags) => RawClient.start(Command.agent(folder.path("agent.yaml"), ...flags), options),
    command: Command.agent(folder.path("agent.yaml")),
    path: folder.path,
    sessionFile,
    readSession: (sessionId) => readFile(sessionFile(sessionId), "utf8"),
    sessionFiles: () => readdir(folder.path("sessions")).catch(() => []),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]()
  }
}
