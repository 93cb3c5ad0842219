/**
 * Sessions that a run left behind, opened again by an agent process that has never seen them: what it tells of them, what its
 * model is sent, and whether a prompt works. One process serves many runs. Used by FaultRun, judged by Oracle.
 */
import { readdir, rename } from "node:fs/promises"
import type { Json } from "@acp-client-tools/protocol"
import * as AgentHome from "../AgentHome.ts"
import * as RawClient from "../RawClient.ts"

export interface Reopened {
  readonly sessionId: string
  /** The lines of its file, as they were. */
  readonly lines: ReadonlyArray<string>
  /** Why it could not be opened or prompted. */
  readonly problem: string | undefined
  /** What a load told. */
  readonly updates: ReadonlyArray<Json.JsonObject>
  /** What the model was sent with the next prompt. */
  readonly messages: ReadonlyArray<unknown>
}

export interface Reopener extends AsyncDisposable {
  /** Takes the session files and locks out of a directory and opens what they hold. */
  readonly reopen: (directory: string) => Promise<ReadonlyArray<Reopened>>
  /** The agent's stderr. */
  readonly stderr: ReadonlyArray<string>
}

const EXTENSION = ".jsonl"

export const make = async (): Promise<Reopener> => {
  const home = await AgentHome.make(Array.from({ length: 200 }, () => ({ text: "{{messages}}" })))
  const agent = home.start()
  await agent.initialize()
  // The directory is there once a session is.
  await agent.newSession()

  const open = async (sessionId: string): Promise<Reopened> => {
    const lines = (await home.readSession(sessionId)).split("\n")
    const from = agent.received.length
    const updates = () => RawClient.updatesOf(agent.received.slice(from), sessionId)
    let told: ReadonlyArray<Json.JsonObject> = []
    try {
      await agent.result("session/load", { sessionId, cwd: "/", mcpServers: [] })
      told = updates()
      const stopReason = await agent.prompt(sessionId, "Are you there?")
      const messages: unknown = JSON.parse(RawClient.said(updates().slice(told.length)))
      await agent.result("session/close", { sessionId })
      const problem = stopReason === "end_turn" ? undefined : `the prompt ended with ${String(stopReason)}`
      return { sessionId, lines, problem, updates: told, messages: Array.isArray(messages) ? messages : [] }
    } catch (cause) {
      return { sessionId, lines, problem: String(cause), updates: told, messages: [] }
    }
  }

  return {
    stderr: agent.stderr,
    reopen: async (directory) => {
      const names = await readdir(directory).catch(() => [])
      for (const name of names) await rename(`${directory}/${name}`, home.path(`sessions/${name}`))
      const sessionIds = names
        .filter((name) => name.endsWith(EXTENSION))
        .map((name) => name.slice(0, -EXTENSION.length))
      return Promise.all(sessionIds.map(open))
    },
    [Symbol.asyncDispose]: async () => {
      await agent[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    }
  }
}
