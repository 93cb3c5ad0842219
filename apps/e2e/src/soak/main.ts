/**
 * `pnpm soak`: what takes longer than a test may. Faults between the two processes (`--seeds 1000`), load, and calls in a row;
 * `--only faults` runs one of them. `--seed 7` runs that seed alone and tells all that happened. Ends with 1 when anything
 * was wrong. The figures go to `bench/results/`.
 */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Results from "../Results.ts"
import type * as Calls from "./Calls.ts"
import * as FaultPlan from "./FaultPlan.ts"
import type * as FaultRun from "./FaultRun.ts"
import * as Faults from "./Faults.ts"
import * as Load from "./Load.ts"
import * as Report from "./Report.ts"

const STANDARD_SEEDS = 1_000
const AT_ONCE = 6

// Who reads a part of it has seen enough.
process.stdout.on("error", () => process.exit())

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const complain = (line: string): void => void process.stderr.write(`${line}\n`)

const faults = async (count: number): Promise<Report.Report> => {
  const outcomes: Array<FaultRun.Outcome> = []
  const start = performance.now()
  await Faults.run(
    Array.from({ length: count }, (_, n) => n + 1),
    AT_ONCE,
    (outcome) => {
      outcomes.push(outcome)
      if (outcome.complaints.length > 0)
        complain([FaultPlan.describe(outcome.plan), ...outcome.complaints].join("\n  "))
      if (outcomes.length % 100 === 0) print(`${outcomes.length} of ${count} seeds`)
    }
  )
  return Report.ofFaults(outcomes, (performance.now() - start) / 1_000)
}

/** In a process that has done nothing else. */
const calls = async (): Promise<Report.Report> => {
  const child = fork(fileURLToPath(new URL("./CallsProcess.ts", import.meta.url)))
  const measured = await new Promise<ReadonlyArray<Calls.Measured>>((resolve, reject) => {
    child.once("message", (message: ReadonlyArray<Calls.Measured>) => resolve(message))
    child.once("exit", (code, signal) => reject(new Error(`the calls ended with ${String(signal ?? code)}`)))
  })
  return Report.ofCalls(measured)
}

const replay = async (seed: number): Promise<ReadonlyArray<string>> => {
  const complaints: Array<string> = []
  await Faults.run([seed], 1, ({ complaints: found, plan, seen }) => {
    print(FaultPlan.describe(plan))
    seen.entries.forEach((entry) => print(JSON.stringify(entry)))
    seen.clientStderr.forEach((line) => print(`client: ${line}`))
    complaints.push(...found)
  })
  complaints.forEach(complain)
  return complaints
}

const parts: Readonly<Record<string, (seeds: number) => Promise<Report.Report>>> = {
  faults,
  load: async () => Report.ofLoad(await Load.measure()),
  calls
}

const refuse = (problem: string): never => {
  complain(`${problem}\nUsage: pnpm soak [--only ${Object.keys(parts).join("|")}] [--seeds COUNT | --seed SEED]`)
  process.exit(2)
}

const flags = () => {
  try {
    return parseArgs({ options: { only: { type: "string" }, seed: { type: "string" }, seeds: { type: "string" } } })
      .values
  } catch (cause) {
    return refuse(cause instanceof Error ? cause.message : String(cause))
  }
}

const wholeNumber = (flag: string, text: string): number =>
  /^[1-9]\d{0,8}$/.test(text)
    ? Number(text)
    : refuse(`${flag} takes a whole number from 1, not ${JSON.stringify(text)}`)

const soak = async ({ only, seed, seeds }: ReturnType<typeof flags>): Promise<ReadonlyArray<string>> => {
  if (only !== undefined && !Object.hasOwn(parts, only))
    return refuse(`--only takes a part, not ${JSON.stringify(only)}`)
  const count = seeds === undefined ? STANDARD_SEEDS : wholeNumber("--seeds", seeds)
  if (seed !== undefined) return replay(wholeNumber("--seed", seed))
  const complaints: Array<string> = []
  for (const [name, run] of Object.entries(parts)) {
    if (only !== undefined && only !== name) continue
    const report = await run(count)
    await Results.write(report.results)
    print([`# ${report.results.title}`, "", ...report.results.page, ""].join("\n"))
    report.complaints.forEach(complain)
    complaints.push(...report.complaints)
  }
  return complaints
}

if ((await soak(flags())).length > 0) process.exitCode = 1
