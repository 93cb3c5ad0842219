/**
 * What our client does in a run with faults: sessions side by side, tools of every temper, questions, cancels, loads. It
 * expects nothing of any step, for each may meet a fault, but that it ends. Run by FaultClient; the agent's part is `steps`
 * and `config`.
 */
import { once } from "node:events"
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises"
import { type AgentConnection, type PermissionPolicy, type Session, startAgent } from "@acp-client-tools/client/promise"
import type { ToolDefinition } from "@acp-client-tools/client"
import type { Discovery } from "@acp-client-tools/protocol"
import type { Json } from "@acp-client-tools/protocol"
import type { Command } from "../Command.ts"
import { CALM_METHOD } from "./FaultRecord.ts"

const call = (name: string, args: Json.JsonObject = {}) => ({ name: `client_${name}`, arguments: args })

/** One answer of the model each; the sessions of a run go through them over and over. */
const round: ReadonlyArray<Json.JsonObject> = [
  { text: "First.", toolCalls: [call("quick", { n: 1 }), call("slow"), call("later", { n: 2 }), call("refused")] },
  { text: "They said {{toolResults}}." },
  { toolCalls: [call("asking"), call("slow"), call("quick", { n: 3 })] },
  { thought: "Hm.", text: "Done." },
  { toolCalls: [call("failing"), call("big"), call("nobody"), call("quick"), call("later", { n: 4 })] },
  { text: "They said {{toolResults}}." }
]

export const steps: ReadonlyArray<Json.JsonObject> = Array.from({ length: 10 }, () => round).flat()

/** The agent file of a run. */
export const config = (discovery: Discovery.Mode): Json.JsonObject => ({
  acp: { clientTools: { discovery, timeout: "150ms" } },
  maxOutput: 2_000
})

/** How long a step may take before it is given up, in ms. */
const STEP = 1_000

/** How long a step without faults may take, in ms: so long that only what hangs takes longer. */
const PATIENCE = 15_000

/** How often is looked whether all steps have ended, in ms. */
const LOOK_AGAIN = 10

export interface Outcome {
  /** False when the agent could not be started or initialised. */
  readonly isConnected: boolean
  /** The steps that did not end when they were given up, or when the connection had ended. */
  readonly hanging: ReadonlyArray<string>
  /** The stop reason of a prompt after all faults, in a session of its own; or why there is none. */
  readonly afterwards: string | undefined
}

const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }

/** What ends everything that waits: the end of the run. */
type Release = Promise<unknown>

const toolDefinitions = (release: Release): ReadonlyArray<ToolDefinition> => [
  { name: "quick", inputSchema, execute: (args, { sessionId }) => ({ args, sessionId }) },
  {
    name: "later",
    inputSchema,
    execute: async ({ n }) => {
      for (let turn = 0; turn < n; turn++) await nextTurn()
      return `later ${n}`
    }
  },
  { name: "slow", execute: () => release },
  { name: "refused", execute: () => "it ran" },
  { name: "asking", execute: () => "it ran" },
  {
    name: "failing",
    execute: () => {
      throw new Error("it failed")
    }
  },
  { name: "big", execute: () => "0123456789".repeat(1_000) }
]

/** Allows what it is asked, but for two tools: one is refused, the other is a question nobody answers. */
const policy =
  (release: Release, onAsking: (sessionId: string) => void): PermissionPolicy =>
  async ({ options, sessionId, toolCall }) => {
    const choose = (kind: string) => options.find((option) => option.kind === kind)?.optionId
    if (toolCall.title === "client: refused") return choose("reject_once")
    if (toolCall.title !== "client: asking") return choose("allow_always") ?? choose("allow_once")
    onAsking(sessionId)
    await release
    return undefined
  }

export const run = async (
  { args, command }: Command,
  discovery: Discovery.Mode,
  log: (line: string) => void
): Promise<Outcome> => {
  const release = Promise.withResolvers<undefined>()
  const hanging = new Set<string>()
  const asking = new Map<string, () => void>()

  const tracked = <A>(name: string, ended: Promise<A>): Promise<A | undefined> => {
    hanging.add(name)
    return ended.catch(() => undefined).finally(() => hanging.delete(name))
  }

  /** Waits for a step, and gives it up after a while. It is to end then at the latest. */
  const step = async <A>(
    name: string,
    work: (signal: AbortSignal) => Promise<A>,
    within = STEP
  ): Promise<A | undefined> => {
    const giveUp = new AbortController()
    const givenUp = setTimeout(() => giveUp.abort(new Error("given up")), within)
    let isOver: NodeJS.Timeout | undefined
    try {
      return await Promise.race([
        tracked(name, work(giveUp.signal)),
        new Promise<undefined>((resolve) => {
          isOver = setTimeout(() => resolve(undefined), within + PATIENCE)
        })
      ])
    } finally {
      clearTimeout(givenUp)
      clearTimeout(isOver)
    }
  }

  const tools = toolDefinitions(release.promise)
  let connection: AgentConnection
  try {
    connection = await startAgent(command, args, {
      tools: discovery === "meta" ? tools : () => Promise.resolve(tools),
      permission: policy(release.promise, (sessionId) => asking.get(sessionId)?.()),
      log,
      initializeTimeout: 3_000
    })
  } catch {
    return { isConnected: false, hanging: [], afterwards: undefined }
  }

  /** Cancels the turn when the question comes that nobody answers. */
  const cancelled = (name: string, session: Session): Promise<unknown> =>
    step(name, (signal) => {
      asking.set(session.sessionId, () => void session.cancel())
      return session.prompt("Ask", { signal })
    })

  const first = async (): Promise<void> => {
    const session = await step("new", (signal) => connection.newSession("/first", { signal }))
    if (session === undefined) return
    await step("prompt", (signal) => session.prompt("Go", { signal }))
    await step("option", (signal) => session.setConfigOption("yolo", "off", { signal }))
    await cancelled("cancelled prompt", session)
    const closed = tracked("session close", session.close())
    await step("close", (signal) => Promise.race([closed, once(signal, "abort")]))
    const loaded = await step("load", (signal) => connection.loadSession(session.sessionId, "/first", { signal }))
    if (loaded === undefined) return
    await step("prompt after load", (signal) => loaded.prompt("Again", { signal }))
  }

  const second = async (): Promise<void> => {
    const session = await step("second new", (signal) => connection.newSession("/second", { signal }))
    if (session === undefined) return
    await step("option on", (signal) => session.setConfigOption("yolo", "on", { signal }))
    await step("stream", async (signal) => {
      for await (const event of session.stream("Go", { signal })) if (event.type === "stop") return event.stopReason
    })
    await step("cancel at once", (signal) => {
      const turn = session.prompt("Stop", { signal })
      void session.cancel()
      return turn
    })
    const resumed = await step("resume", (signal) =>
      connection.resumeSession(session.sessionId, "/elsewhere", { signal })
    )
    await step("left stream", async (signal) => {
      for await (const event of (resumed ?? session).stream("Go on", { signal })) if (event.type === "update") return
    })
    await step("last prompt", (signal) => (resumed ?? session).prompt("And", { signal }))
  }

  const third = async (): Promise<void> => {
    const session = await step("third new", (signal) => connection.newSession("/third", { signal }))
    if (session === undefined) return
    const turn = step("prompt of a deleted one", (signal) => session.prompt("Go", { signal }))
    await step("delete", (signal) => connection.deleteSession(session.sessionId, { signal }))
    await turn
    await step("list", (signal) => connection.listSessions({}, { signal }))
  }

  await Promise.all([first(), second(), third()])

  // From here on everything is to go well, unless somebody was killed.
  await step("calm", (signal) => connection.request(CALM_METHOD, {}, { signal }), PATIENCE)
  const kept = (await step("last list", (signal) => connection.listSessions({}, { signal }), PATIENCE)) ?? []
  release.resolve(undefined)
  await Promise.all(
    kept.map(({ sessionId }) =>
      step(`close ${sessionId}`, (signal) => connection.request("session/close", { sessionId }, { signal }), PATIENCE)
    )
  )
  const fresh = await step("new afterwards", (signal) => connection.newSession("/after", { signal }), PATIENCE)
  const afterwards = fresh && (await step("prompt afterwards", (signal) => fresh.prompt("Go", { signal }), PATIENCE))
  await step("end", () => connection.close(), PATIENCE)
  await step("closed", () => connection.closed, PATIENCE)
  for (let waited = 0; hanging.size > 0 && waited < PATIENCE; waited += LOOK_AGAIN) await delay(LOOK_AGAIN)
  return { isConnected: true, hanging: [...hanging], afterwards: afterwards ?? "none" }
}
