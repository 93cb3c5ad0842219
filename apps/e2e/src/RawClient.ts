/** A client by hand: an agent's process, and JSON lines to and from it, whatever they say. Used by tests of the agent. */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { Json } from "@acp-client-tools/protocol"
import type { Command } from "./Command.ts"
import * as Wire from "./Wire.ts"

type Message = Json.JsonObject

export interface Options {
  readonly env?: Readonly<Record<string, string>>
  /** Where the agent runs. Here, when absent. */
  readonly cwd?: string
  /** Answers the agent's requests by their method; one without an answer stays open. */
  readonly answers?: Readonly<Record<string, (params: Message) => unknown>>
}

export interface RawClient extends AsyncDisposable {
  readonly pid: number
  /** Every message of the agent, in order. */
  readonly received: ReadonlyArray<Message>
  /** The lines of the agent's stderr. */
  readonly stderr: ReadonlyArray<string>
  /** The first line of stderr that is accepted, come or to come. */
  readonly stderrLine: (accepts: (line: string, index: number) => boolean) => Promise<string>
  /** Writes messages in one go. */
  readonly write: (...messages: ReadonlyArray<Message>) => void
  /** Writes whatever it is. */
  readonly writeText: (text: string) => void
  /** Sends a request; the whole answer. */
  readonly request: (method: string, params: unknown) => Promise<Message>
  /** Sends a request; its result. An error rejects. */
  readonly result: (method: string, params: unknown) => Promise<Message>
  readonly notify: (method: string, params: unknown) => void
  /** Initialises, with these in `clientCapabilities._meta`. */
  readonly initialize: (meta?: Message) => Promise<Message>
  /** A new session's id. */
  readonly newSession: (cwd?: string) => Promise<string>
  /** Sends a prompt; the stop reason. */
  readonly prompt: (sessionId: string, text?: string) => Promise<unknown>
  /** The next message that is accepted, behind the one given last time. Rejects when the agent ends before. */
  readonly next: (accepts: (message: Message) => boolean) => Promise<Message>
  /** The first message of all that is accepted, come or to come. */
  readonly first: (accepts: (message: Message) => boolean) => Promise<Message>
  /** The updates of a session so far, but for the commands that are announced with every opening. */
  readonly updates: (sessionId: string) => ReadonlyArray<Message>
  /** Reads no more of what the agent writes behind such a message. */
  readonly pauseAfter: (accepts: (message: Message) => boolean) => void
  readonly kill: (signal: NodeJS.Signals) => void
  /** Ends the agent's input; its exit code or signal. */
  readonly end: () => Promise<number | NodeJS.Signals | null>
  /** Settles with the agent. */
  readonly exited: Promise<number | NodeJS.Signals | null>
}

/** The `update` objects of one session among some messages. */
export const updatesOf = (messages: ReadonlyArray<Message>, sessionId: string): ReadonlyArray<Message> =>
  messages.flatMap(({ method, params }) => {
    const update = Json.get(params, "update")
    return method === "session/update" &&
      Json.get(params, "sessionId") === sessionId &&
      Json.isObject(update) &&
      update["sessionUpdate"] !== "available_commands_update"
      ? [update]
      : []
  })

/** The text of all that a model said among some updates. */
export const said = (updates: ReadonlyArray<Message>): string =>
  updates
    .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
    .map(Wire.updateText)
    .join("")

const exitOf = (child: ChildProcess): RawClient["exited"] =>
  new Promise((resolve) => {
    child.on("error", () => resolve(null))
    child.on("exit", (code, signal) => {
      // What it wrote is read to its end, unless nobody reads.
      if (child.stdout?.isPaused() === true) resolve(signal ?? code)
      else child.on("close", () => resolve(signal ?? code))
    })
  })

export const start = ({ args, command }: Command, { answers = {}, cwd: folder, env = {} }: Options = {}): RawClient => {
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] })
  child.stdin.on("error", () => undefined)
  const received: Array<Message> = []
  const stderr: Array<string> = []
  const pending = new Map<unknown, (answer: Message) => void>()
  const waiting = new Set<() => void>()
  const given = { last: -1 }
  let nextId = 1
  let isLast: ((message: Message) => boolean) | undefined

  const write = (...messages: ReadonlyArray<Message>): void => {
    child.stdin.write(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""))
  }

  const hear = (message: Message): void => {
    received.push(message)
    const { id, method, params } = message
    if (typeof method !== "string") pending.get(id)?.(message)
    else if (id !== undefined && Object.hasOwn(answers, method)) {
      write({ id, result: answers[method]?.(Json.isObject(params) ? params : {}) })
    }
    for (const wake of waiting) wake()
  }

  createInterface({ input: child.stderr }).on("line", (line) => {
    stderr.push(line)
    for (const wake of waiting) wake()
  })
  createInterface({ input: child.stdout }).on("line", (line) => {
    const value = Json.parse(line)?.value
    const message = Json.isObject(value) ? value : { line }
    if (isLast?.(message) === true) child.stdout.removeAllListeners("data").pause()
    hear(message)
  })
  const exited = exitOf(child)
  let hasExited = false
  void exited.then((exit) => {
    hasExited = true
    for (const settle of pending.values()) settle({ error: { message: `the agent ended with ${exit}` } })
    for (const wake of waiting) wake()
  })

  const request: RawClient["request"] = (method, params) => {
    const id = nextId++
    return new Promise((resolve) => {
      pending.set(id, (answer) => {
        pending.delete(id)
        resolve(answer)
      })
      write({ id, method, params })
    })
  }
  const result: RawClient["result"] = async (method, params) => {
    const answer = await request(method, params)
    if (!Json.isObject(answer["result"])) throw new Error(`${method}: ${JSON.stringify(answer)}`)
    return answer["result"]
  }
  const until = <A>(look: () => A | undefined): Promise<A> =>
    new Promise((resolve, reject) => {
      const tryAgain = () => {
        const found = look()
        if (found !== undefined) resolve(found)
        else if (hasExited) reject(new Error(`the agent ended first; it said: ${stderr.slice(-5).join("\n")}`))
        else return
        waiting.delete(tryAgain)
      }
      waiting.add(tryAgain)
      tryAgain()
    })
  const find = (accepts: (message: Message) => boolean, from: { last: number }): Promise<Message> =>
    until(() => {
      const index = received.findIndex((message, at) => at > from.last && accepts(message))
      if (index >= 0) from.last = index
      return received[index]
    })
  const end: RawClient["end"] = () => {
    child.stdin.end()
    return exited
  }

  return {
    pid: child.pid ?? 0,
    received,
    stderr,
    stderrLine: (accepts) => until(() => stderr.find(accepts)),
    write,
    writeText: (text) => void child.stdin.write(text),
    request,
    result,
    notify: (method, params) => write({ method, params }),
    initialize: (meta) =>
      result("initialize", { protocolVersion: 1, clientCapabilities: meta === undefined ? {} : { _meta: meta } }),
    newSession: async (cwd = "/") => String((await result("session/new", { cwd, mcpServers: [] }))["sessionId"]),
    prompt: async (sessionId, text = "Hello") =>
      (await result("session/prompt", { sessionId, prompt: [{ type: "text", text }] }))["stopReason"],
    next: (accepts) => find(accepts, given),
    first: (accepts) => find(accepts, { last: -1 }),
    updates: (sessionId) => updatesOf(received, sessionId),
    pauseAfter: (accepts) => {
      isLast = accepts
    },
    kill: (signal) => child.kill(signal),
    end,
    exited,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL")
      await exited
    }
  }
}
