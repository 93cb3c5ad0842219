/**
 * The process of an MCP server as a transport of the MCP SDK. It leads a process group of its own, and that group is ended within
 * the time an agent has for its own end (SESS-4): the SDK's own transport ends one process, which for most servers is a wrapper
 * (`npx`, `uvx`, `sh`), and takes 4 s. Used by StdioServer.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Readable } from "node:stream"
import { setTimeout as delay } from "node:timers/promises"
import type { McpServerStdio } from "@agentclientprotocol/sdk"
import { Wording } from "@acp-client-tools/protocol"
import { ReadBuffer, serializeMessage, type Transport } from "@modelcontextprotocol/client"
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio"

/** The longest message of a server, in bytes. */
const MAX_MESSAGE = 64 * 1024 * 1024

/** How much of a line on stderr is heard, in characters. */
const MAX_LINE = 1_000

/** How long a server may take for its end when its stdin has ended, and again after SIGTERM, in ms. */
const GRACE = 400

/** How often is looked whether it has ended, in ms. */
const GLANCE = 20

/** How long what a server wrote before its end may take to arrive, in ms: a process it left behind may hold its stdout. */
const LAST_WORDS = 200

/** What is told of the process. */
export interface Listener {
  /** A line on its stderr. */
  readonly said: (line: string) => void
  /** It has ended, and all it wrote has been heard. */
  readonly ended: () => void
}

export interface ServerProcess extends Transport {
  /** How the process ended, in words; `undefined` before, and for one that could not be started. */
  readonly ending: () => string | undefined
  /** Ends the process and what it started. Never rejects. */
  readonly end: () => Promise<void>
}

const endingOf = ({ exitCode, pid, signalCode }: ChildProcess): string | undefined => {
  if (pid === undefined) return undefined
  if (signalCode !== null) return Wording.mcpKilled(signalCode)
  return exitCode === null ? undefined : Wording.mcpExited(exitCode)
}

/** Calls `hear` with each line that says something; of a long one with its beginning, and nothing more of it is kept. */
const hearLines = (stream: Readable, hear: (line: string) => void): void => {
  let rest = ""
  let isCut = false
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      if (!isCut && line.trim() !== "") hear(line.slice(0, MAX_LINE).trimEnd())
      isCut = false
    }
    if (rest.length <= MAX_LINE) return
    if (!isCut) hear(rest.slice(0, MAX_LINE))
    rest = ""
    isCut = true
  })
}

/** Signals the group, 0 asks for it; false when nobody is left. On Windows there are no groups. */
const signalGroup = ({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean => {
  if (pid === undefined) return false
  try {
    return process.kill(process.platform === "win32" ? pid : -pid, signal)
  } catch {
    return false
  }
}

/** Waits until it is so, for the time of grace at most. */
const allow = async (isSo: () => boolean): Promise<void> => {
  for (let waited = 0; !isSo() && waited < GRACE; waited += GLANCE) await delay(GLANCE)
}

/** A server that has not been started; `start` is called by the MCP SDK, and rejects with what the system says. */
export const make = ({ args, command, env }: McpServerStdio, cwd: string, { ended, said }: Listener): ServerProcess => {
  const buffer = new ReadBuffer({ maxBufferSize: MAX_MESSAGE })
  let child: ChildProcess | undefined
  // The id of a group that has ended may be another's by now.
  let isGone = true

  const isThere = (): boolean => child !== undefined && !isGone && signalGroup(child, 0)

  const hear = (chunk: Buffer): void => {
    try {
      buffer.append(chunk)
    } catch (cause) {
      // Longer than any message: what follows cannot be told from its rest.
      transport.onerror?.(cause instanceof Error ? cause : new Error(String(cause)))
      child?.stdout?.destroy()
      return
    }
    for (;;) {
      try {
        const message = buffer.readMessage()
        if (message === null) return
        transport.onmessage?.(message)
      } catch {
        // A line that is no message: some servers print on stdout.
      }
    }
  }

  const closed = (): void => {
    child?.stdout?.destroy()
    child?.stderr?.destroy()
    transport.onclose?.()
    ended()
  }

  const transport: ServerProcess = {
    start: () =>
      new Promise((resolve, reject) => {
        const server = spawn(command, args, {
          cwd,
          detached: true,
          env: { ...getDefaultEnvironment(), ...Object.fromEntries(env.map(({ name, value }) => [name, value])) },
          stdio: ["pipe", "pipe", "pipe"]
        })
        child = server
        isGone = server.pid === undefined
        server.once("spawn", resolve).once("error", reject)
        server.once("exit", () => {
          isGone = !signalGroup(server, 0)
          const timer = setTimeout(closed, LAST_WORDS)
          server.once("close", () => clearTimeout(timer))
        })
        server.once("close", closed)
        server.stdin.on("error", () => undefined)
        server.stdout.on("data", hear)
        hearLines(server.stderr, said)
      }),
    send: (message) =>
      new Promise((resolve, reject) => {
        const stdin = child?.stdin
        if (stdin === undefined || stdin === null || !stdin.writable) return reject(new Error("not connected"))
        // What a server does not read is kept for it: a call has its deadline.
        stdin.write(serializeMessage(message), () => resolve())
      }),
    close: () => transport.end(),
    ending: () => (child === undefined ? undefined : endingOf(child)),
    end: async () => {
      if (child === undefined) return
      child.stdin?.end()
      await allow(() => transport.ending() !== undefined)
      if (!isThere()) return
      signalGroup(child, "SIGTERM")
      await allow(() => !isThere())
      if (isThere()) signalGroup(child, "SIGKILL")
    }
  }
  return transport
}
