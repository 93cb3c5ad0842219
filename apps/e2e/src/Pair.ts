/** Our client and our agent as two processes around a scripted model, with the wire recorded. One run is one scenario. */
import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import type { Json } from "@acp-client-tools/protocol"
import * as Command from "./Command.ts"
import * as Wire from "./Wire.ts"
import * as WireRecord from "./WireRecord.ts"

export interface Scenario {
  /** The agent file, without its model. */
  readonly config?: Json.JsonObject
  /** The steps of the scripted model. */
  readonly script: ReadonlyArray<Json.JsonObject>
  /** Fixture tools as in client transcripts; or the source of a tools module. */
  readonly tools?: ReadonlyArray<Json.JsonObject> | string
  /** Flags of the client beside `--tools` and `--prompt`. */
  readonly args?: ReadonlyArray<string>
  /** Called with every entry of the wire as it happens, and the client's process. */
  readonly onEntry?: (entry: WireRecord.Entry, client: { kill(signal: NodeJS.Signals): boolean }) => void
}

export interface Outcome {
  readonly exitCode: number | null
  readonly stdout: string
  /** The lines of client and agent. */
  readonly stderr: ReadonlyArray<string>
  readonly wire: ReadonlyArray<WireRecord.Message>
  /** The agent's exit code, or the signal that ended it. */
  readonly agentExit: string | undefined
  /** All text the model said. */
  readonly said: string
}

const fixtureTools = new URL("./FixtureTools.ts", import.meta.url).href

const toolsSource = (tools: NonNullable<Scenario["tools"]>, file: string): string =>
  typeof tools === "string"
    ? tools
    : `import { fromFile } from ${JSON.stringify(fixtureTools)}\nexport default fromFile(${JSON.stringify(file)})\n`

/** Runs the scenario to its end; the folder it worked in is removed. */
export const run = async ({ args = [], config = {}, onEntry, script, tools }: Scenario): Promise<Outcome> => {
  const directory = await mkdtemp(join(tmpdir(), "acp-client-tools-"))
  const path = (name: string) => join(directory, name)
  try {
    await writeFile(
      path("agent.yaml"),
      JSON.stringify({ model: { provider: "script", script: "./steps.yaml" }, ...config })
    )
    await writeFile(path("steps.yaml"), JSON.stringify({ steps: script }))
    if (tools !== undefined) {
      await writeFile(path("tools.json"), JSON.stringify(tools))
      await writeFile(path("tools.mjs"), toolsSource(tools, path("tools.json")))
    }
    const record = await WireRecord.start((entry) => onEntry?.(entry, client))
    const command = Command.client(
      [...(tools === undefined ? [] : ["--tools", path("tools.mjs")]), "--prompt", "Hello", ...args],
      record.tap(Command.agent(path("agent.yaml")))
    )
    const client = spawn(command.command, command.args, { stdio: ["ignore", "pipe", "pipe"] })
    const exited = new Promise<number | null>((resolve) => {
      client.on("close", (code) => {
        record.stop()
        resolve(code)
      })
    })
    const [stdout, stderr, exitCode, entries] = await Promise.all([
      text(client.stdout),
      text(client.stderr),
      exited,
      record.entries
    ])
    const wire = Wire.messages(entries)
    return {
      exitCode,
      stdout,
      stderr: stderr.split("\n").filter((line) => line !== ""),
      wire,
      agentExit: entries.find(({ from }) => from === "exit")?.line,
      said: Wire.updates(wire)
        .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
        .map(Wire.updateText)
        .join("")
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
