/**
 * Ten thousand tool calls in a row between two processes, and what either holds on to behind them. A process of its own, the
 * client; run by `pnpm soak` through CallsProcess.
 */
import { setTimeout as delay } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type AgentConnection, allow, startAgent } from "@acp-client-tools/client/promise"
import * as AgentHome from "../AgentHome.ts"
import type { Command } from "../Command.ts"
import * as AgentHeap from "./AgentHeap.ts"
import * as Heap from "./Heap.ts"
import * as Slope from "./Slope.ts"

/** Calls before the first sample: what is compiled and cached once is no leak. */
const WARM_UP = 3_000

export const CALLS = 10_000

const SAMPLE_EVERY = 500

/** A process may grow by less than this for each call, in bytes. */
export const LIMIT = 64

/** What is measured of one side. */
export interface Side {
  readonly side: "agent" | "client"
  readonly bytesPerCall: number
  /** False where every call is to be remembered. */
  readonly isLimited: boolean
  /** Calls made, and bytes in use. */
  readonly samples: ReadonlyArray<Slope.Point>
  readonly resourcesBefore: ReadonlyArray<string>
  readonly resourcesAfter: ReadonlyArray<string>
}

export interface Measured {
  readonly title: string
  readonly seconds: number
  readonly sides: ReadonlyArray<Side>
}

interface Case {
  readonly title: string
  /** A session of the agent remembers every call made in it. */
  readonly remembers: boolean
  readonly agent: Command
  /** Makes ready; gives what makes `perRound` calls. */
  readonly begin: (connection: AgentConnection) => Promise<() => Promise<unknown>>
  readonly perRound: number
}

const expectEnd = (stopReason: string): void => {
  if (stopReason !== "end_turn") throw new Error(`a turn ended with ${stopReason}`)
}

/** Few, so that what a turn or a session leaves behind weighs as much as what a call does. */
const PER_ROUND = 5

const cases = (scripted: Command): ReadonlyArray<Case> => [
  {
    title: `the reference agent, a session for every ${PER_ROUND} calls`,
    remembers: false,
    agent: scripted,
    perRound: PER_ROUND,
    begin: async (connection) => async () => {
      const session = await connection.newSession("/")
      expectEnd(await session.prompt("Go"))
      await session.close()
      await connection.deleteSession(session.sessionId)
    }
  },
  {
    title: "an agent without a history (examples/agent-with-promises), one session",
    remembers: false,
    agent: {
      command: process.execPath,
      args: [fileURLToPath(new URL("../../../../examples/agent-with-promises/agent.ts", import.meta.url))]
    },
    perRound: 1,
    begin: async (connection) => {
      const session = await connection.newSession("/")
      return async () => expectEnd(await session.prompt('client_echo {"n":1}'))
    }
  },
  {
    title: "the reference agent, one session, whose history has every call",
    remembers: true,
    agent: scripted,
    perRound: PER_ROUND,
    begin: async (connection) => {
      const session = await connection.newSession("/")
      return async () => expectEnd(await session.prompt("Go"))
    }
  }
]

/** The script for all calls there will be: an answer for each, and one that ends every turn. */
const steps = Array.from({ length: (WARM_UP + CALLS) / PER_ROUND }, () => [
  ...Array.from({ length: PER_ROUND }, (_, n) => ({ toolCalls: [{ name: "client_echo", arguments: { n } }] })),
  { text: "Done." }
]).flat()

/** How long what is open has to stay the same, in ms, before it is believed; and how often that is tried. */
const QUIET = 100
const ATTEMPTS = 50

/** A sample at rest: a timer or a write may be about to go. */
const atRest = async (take: () => Promise<Heap.Sample>): Promise<Heap.Sample> => {
  let sample = await take()
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = sample
    await delay(QUIET)
    sample = await take()
    if (String(sample.resources) === String(before.resources)) break
  }
  return sample
}

const measureCase = async ({ agent, begin, perRound, remembers, title }: Case): Promise<Measured> => {
  const start = performance.now()
  const agentHeap = AgentHeap.make()
  const connection = await startAgent(agent.command, agent.args, {
    tools: [{ name: "echo", inputSchema: { type: "object" }, execute: (args: unknown) => args }],
    permission: allow,
    env: agentHeap.env,
    stderr: agentHeap.stderr
  })
  try {
    const round = await begin(connection)
    const call = async (calls: number): Promise<void> => {
      for (let made = 0; made < calls; made += perRound) await round()
    }
    const takers = { agent: agentHeap.sample, client: Heap.sample }
    await call(WARM_UP)
    const before = { agent: await atRest(takers.agent), client: await atRest(takers.client) }
    const samples: Record<Side["side"], Array<Slope.Point>> = {
      agent: [[0, before.agent.heapUsed]],
      client: [[0, before.client.heapUsed]]
    }
    for (let made = SAMPLE_EVERY; made <= CALLS; made += SAMPLE_EVERY) {
      await call(SAMPLE_EVERY)
      samples.agent.push([made, (await takers.agent()).heapUsed])
      samples.client.push([made, (await takers.client()).heapUsed])
    }
    const after = {
      agent: await atRest(takers.agent),
      client: await atRest(takers.client)
    }
    const sides = (["agent", "client"] as const).map((side): Side => ({
      side,
      bytesPerCall: Slope.of(samples[side]),
      isLimited: side === "client" || !remembers,
      samples: samples[side],
      resourcesBefore: before[side].resources,
      resourcesAfter: after[side].resources
    }))
    return { title, seconds: (performance.now() - start) / 1_000, sides }
  } finally {
    await connection.close()
  }
}

/** What is wrong with what was measured. */
export const complaints = ({ sides, title }: Measured): ReadonlyArray<string> =>
  sides.flatMap(({ bytesPerCall, isLimited, resourcesAfter, resourcesBefore, side }) => [
    ...(isLimited && bytesPerCall >= LIMIT
      ? [`${title}: the ${side} grows by ${bytesPerCall.toFixed(1)} bytes per call, and may by ${LIMIT}`]
      : []),
    ...(String(resourcesBefore) === String(resourcesAfter)
      ? []
      : [`${title}: the ${side} had ${resourcesBefore.join(", ")} open before, and ${resourcesAfter.join(", ")} after`])
  ])

/** In this process. */
export const measure = async (): Promise<ReadonlyArray<Measured>> => {
  await using home = await AgentHome.make(steps, {
    yolo: true,
    maxTurnRequests: 2 * PER_ROUND,
    loopDetector: { flagAfter: CALLS, stopAfter: CALLS }
  })
  const measured: Array<Measured> = []
  for (const one of cases(home.command)) measured.push(await measureCase(one))
  return measured
}
