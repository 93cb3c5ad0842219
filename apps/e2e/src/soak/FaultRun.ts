/** One run with faults: two processes with a relay between them that does harm, and what was seen of it. Run by `pnpm soak`. */
import { readFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import * as AgentHome from "../AgentHome.ts"
import type * as FaultClients from "./FaultClients.ts"
import * as FaultPlan from "./FaultPlan.ts"
import * as FaultRecord from "./FaultRecord.ts"
import * as FaultScenario from "./FaultScenario.ts"
import * as Oracle from "./Oracle.ts"
import type * as Reopened from "./Reopened.ts"

export interface Outcome {
  readonly plan: FaultPlan.FaultPlan
  readonly seen: Oracle.Seen
  readonly complaints: ReadonlyArray<string>
}

/** How often each kind of fault struck, and each kill. */
export const tally = ({ seen: { entries } }: Outcome): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const entry of entries) {
    const name =
      entry.type === "kill"
        ? `kill the ${entry.side} with ${entry.signal}`
        : entry.type === "taken" && entry.fault !== undefined
          ? `${entry.fault.kind} ${entry.direction}`
          : undefined
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** True for a process that runs; one that has ended and was not asked how does not. */
const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return process.platform !== "linux"
  }
}

/** How long the processes of a connection may outlive it, in ms. */
const END_WITHIN = 10_000

const LOOK_AGAIN = 20

/** The relay and the agent, if they still run when they should not; they run no longer then. */
const leftRunning = async (record: FaultRecord.FaultRecord): Promise<ReadonlyArray<string>> => {
  const started = record.entries.find((entry) => entry.type === "started")
  if (started === undefined) return []
  const left = () => (["relay", "agent"] as const).filter((name) => isRunning(started[name]))
  const until = Date.now() + END_WITHIN
  while (left().length > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN))
  return left().map((name) => {
    process.kill(started[name], "SIGKILL")
    return `the ${name}`
  })
}

const locksIn = async (home: AgentHome.AgentHome): Promise<ReadonlyArray<string>> =>
  (await readdir(home.path("sessions")).catch(() => [])).filter((name) => !name.endsWith(".jsonl"))

/** What runs have in common. */
export interface Shared {
  readonly clients: FaultClients.FaultClients
  /** The relay's program. */
  readonly relay: string
  readonly reopener: Reopened.Reopener
}

/** Runs a seed. */
export const run = async (seed: number, { clients, relay, reopener }: Shared): Promise<Outcome> => {
  const plan = FaultPlan.make(seed)
  await using home = await AgentHome.make(FaultScenario.steps, FaultScenario.config(plan.discovery))
  const record = await FaultRecord.start(relay)
  const ran = await clients.run({ agent: record.relay(home.command, seed), discovery: plan.discovery })
  const left = await leftRunning(record)
  record.stop()
  await record.ended
  const endedInPeace = record.entries.some((entry) => entry.type === "agentEnded" && entry.exit === "0")
  const seen: Oracle.Seen = {
    entries: record.entries,
    outcome: ran.outcome,
    clientStderr: ran.stderr,
    left,
    locks: endedInPeace ? await locksIn(home) : [],
    sessions: await reopener.reopen(home.path("sessions"))
  }
  return { plan, seen, complaints: Oracle.complaints(seen) }
}
