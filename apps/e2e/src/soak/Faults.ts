/** Many runs with faults, some at a time, each client's process serving one after the other. Used by `pnpm soak` and a test. */
import * as FaultClients from "./FaultClients.ts"
import * as FaultPrograms from "./FaultPrograms.ts"
import * as FaultRun from "./FaultRun.ts"
import * as Reopened from "./Reopened.ts"

/** Runs one agent that opens sessions again serves: it remembers what it opened. */
const RUNS_OF_A_REOPENER = 100

/** Runs the seeds; `onOutcome` hears of each run as it ends. */
export const run = async (
  seeds: ReadonlyArray<number>,
  atOnce: number,
  onOutcome: (outcome: FaultRun.Outcome) => void
): Promise<void> => {
  await using programs = await FaultPrograms.make()
  const waiting = [...seeds]

  const lane = async (): Promise<void> => {
    await using clients = FaultClients.make(programs.client)
    while (waiting.length > 0) {
      await using reopener = await Reopened.make()
      for (let runs = 0; runs < RUNS_OF_A_REOPENER; runs++) {
        const seed = waiting.shift()
        if (seed === undefined) return
        onOutcome(await FaultRun.run(seed, { clients, relay: programs.relay, reopener }))
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, seeds.length) }, lane))
}
