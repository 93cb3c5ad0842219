import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Conversation, StepFailure } from "./Conversation.ts"
import { show } from "./Json.ts"
import type { Json } from "./Json.ts"
import type { Line } from "./Lines.ts"
import { fill, TranscriptError } from "./Matcher.ts"
import { Peer } from "./Peer.ts"
import type { Command } from "./Peer.ts"
import { RelayHost } from "./RelayHost.ts"
import { kindOf } from "./Transcript.ts"
import type { AgentSetup, ClientSetup, Transcript } from "./Transcript.ts"

/** What an agent under test finds in the transcript's folder. */
export interface AgentFiles {
  readonly dir: string
  /** The agent file, `agent.yaml`. */
  readonly configFile: string
}

/** What a client under test finds in the transcript's folder, and what it is to do. */
export interface ClientFiles {
  readonly dir: string
  /** The fixture tools, `tools.json`; absent when the transcript has none. */
  readonly toolsFile?: string
  /** The command the client has to start as its agent. */
  readonly agent: Command
  readonly prompt?: string
  readonly args: ReadonlyArray<string>
}

/** How to start what is under test. Only the side of the transcript is asked. */
export interface Target {
  readonly agentCommand?: (files: AgentFiles) => Command | Promise<Command>
  readonly clientCommand?: (files: ClientFiles) => Command | Promise<Command>
}

/** One thing that happened, `at` milliseconds after the start. `send` and `receive` are seen from the runner. */
export interface LogEntry {
  readonly direction: "send" | "receive" | "stderr" | "stdout"
  readonly message: Json
  readonly at: number
}

/** The outcome of one transcript. */
export interface Report {
  readonly id: string
  readonly passed: boolean
  /** `step` counts from 1; 0 is the start, one more than there are steps is the end. */
  readonly failure?: { readonly step: number; readonly message: string }
  readonly log: ReadonlyArray<LogEntry>
}

type Log = (direction: LogEntry["direction"], message: Json) => void

const message = (line: Line): Json => {
  try {
    const parsed: Json = JSON.parse(line.text)
    return parsed
  } catch {
    return line.text
  }
}

const listeners = (log: Log, stdout: "receive" | "stdout") => ({
  stdout: (line: Line) => log(stdout, stdout === "stdout" ? line.text : message(line)),
  stderr: (line: Line) => log("stderr", line.text)
})

const startAgent = async (setup: AgentSetup, target: Target, dir: string, log: Log): Promise<Peer> => {
  if (target.agentCommand === undefined) throw new TranscriptError("the target has no agentCommand")
  const configFile = join(dir, "agent.yaml")
  const config = {
    model: { provider: "script", script: "./steps.yaml" },
    sessions: { directory: join(dir, "sessions") },
    ...setup.config
  }
  await mkdir(join(dir, "sessions"))
  await writeFile(configFile, `${JSON.stringify(fill(config, new Map([["dir", dir]])), null, 2)}\n`)
  await writeFile(join(dir, "steps.yaml"), `${JSON.stringify({ steps: setup.script ?? [] }, null, 2)}\n`)
  return new Peer(await target.agentCommand({ dir, configFile }), dir, listeners(log, "receive"))
}

const startClient = async (setup: ClientSetup, target: Target, dir: string, relay: RelayHost, log: Log) => {
  if (target.clientCommand === undefined) throw new TranscriptError("the target has no clientCommand")
  const toolsFile = join(dir, "tools.json")
  if (setup.tools !== undefined) await writeFile(toolsFile, `${JSON.stringify(setup.tools, null, 2)}\n`)
  const missing = { command: join(dir, "no-such-agent"), args: [] }
  const command = await target.clientCommand({
    dir,
    ...(setup.tools === undefined ? {} : { toolsFile }),
    agent: setup.agent === "missing" ? missing : relay.agent(setup.agent === "stubborn"),
    ...(setup.prompt === undefined ? {} : { prompt: setup.prompt }),
    args: setup.args ?? []
  })
  const peer = new Peer(command, dir, listeners(log, "stdout"))
  peer.write(Buffer.from(setup.stdin ?? ""))
  peer.closeInput()
  void peer.exited.then(() => relay.clientExited())
  return peer
}

/** The failure of a step with what stood around it. */
const explain = (transcript: Transcript, step: number, error: unknown, log: ReadonlyArray<LogEntry>): string => {
  const text = error instanceof Error ? error.message : String(error)
  if (!(error instanceof StepFailure || error instanceof TranscriptError)) throw error
  const current = transcript.steps[step - 1]
  const where =
    step === 0
      ? "start"
      : current === undefined
        ? "end"
        : `step ${step} of ${transcript.steps.length} (${kindOf(current)})`
  const sign = { send: ">", receive: "<", stdout: "|", stderr: "!" }
  const tell = (entry: LogEntry) =>
    `    ${sign[entry.direction]} ${typeof entry.message === "string" ? entry.message : show(entry.message, 300)}`
  const tail = (title: string, entries: ReadonlyArray<LogEntry>) =>
    entries.length === 0 ? [] : [`  ${title}:`, ...entries.map(tell)]
  return [
    `${transcript.id}, ${where}: ${error instanceof TranscriptError ? "error in the transcript: " : ""}${text}`,
    ...(current?.note === undefined ? [] : [`  note: ${current.note}`]),
    ...tail("last messages", log.filter(({ direction }) => direction !== "stderr").slice(-6)),
    ...tail("stderr", log.filter(({ direction }) => direction === "stderr").slice(-10))
  ].join("\n")
}

/**
 * Runs one transcript against a target. Resolves with a report, whatever the peer does; when it does, the process and
 * its folder are gone. Rejects only when the target itself throws.
 */
export const run = async (transcript: Transcript, target: Target): Promise<Report> => {
  const started = performance.now()
  const log: Array<LogEntry> = []
  const note: Log = (direction, entry) =>
    void log.push({ direction, message: entry, at: Math.round(performance.now() - started) })
  const dir = await realpath(await mkdtemp(join(tmpdir(), "acp-transcript-")))
  let relay: RelayHost | undefined
  let peer: Peer | undefined
  let step = 0
  let failure: Report["failure"]
  const attempt = async (body: () => Promise<void> | void) => {
    if (failure !== undefined) return
    try {
      await body()
    } catch (error) {
      failure = { step, message: explain(transcript, step, error, log) }
    }
  }
  try {
    let conversation: Conversation | undefined
    await attempt(async () => {
      if (transcript.side === "agent") peer = await startAgent(transcript.setup, target, dir, note)
      else {
        relay = await RelayHost.listen((line) => note("receive", message(line)))
        peer = await startClient(transcript.setup, target, dir, relay, note)
      }
      const connection = { peer, ...(relay === undefined ? {} : { relay }), onSend: (sent: Json) => note("send", sent) }
      conversation = new Conversation(transcript, connection, new Map([["dir", dir]]))
    })
    for (const one of transcript.steps) {
      await attempt(async () => {
        step++
        await conversation?.step(one)
      })
    }
    if (relay !== undefined) relay.order({ exit: 0 })
    await peer?.end()
    await relay?.end()
    if (failure === undefined) step = transcript.steps.length + 1
    await attempt(() => conversation?.finish())
  } finally {
    await peer?.end()
    await relay?.end()
    await rm(dir, { recursive: true, force: true, maxRetries: 3 })
  }
  return { id: transcript.id, passed: failure === undefined, ...(failure === undefined ? {} : { failure }), log }
}
