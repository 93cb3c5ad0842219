/** What a part of the soak found: figures for `bench/results/`, and what was wrong. Made for `pnpm soak`. */
import * as Results from "../Results.ts"
import * as Calls from "./Calls.ts"
import * as FaultRun from "./FaultRun.ts"
import type * as Load from "./Load.ts"

export interface Report {
  readonly results: Results.Results
  /** Empty when nothing was wrong. */
  readonly complaints: ReadonlyArray<string>
}

const milliseconds = (value: number): string => value.toFixed(0)

export const ofFaults = (outcomes: ReadonlyArray<FaultRun.Outcome>, seconds: number): Report => {
  const tally = new Map<string, number>()
  for (const outcome of outcomes) {
    for (const [name, times] of FaultRun.tally(outcome)) tally.set(name, (tally.get(name) ?? 0) + times)
  }
  const faults = [...tally].toSorted(([a], [b]) => a.localeCompare(b))
  const count = (of: (outcome: FaultRun.Outcome) => number): number =>
    outcomes.reduce((sum, outcome) => sum + of(outcome), 0)
  const failed = outcomes.flatMap(({ complaints, plan: { seed } }) => (complaints.length === 0 ? [] : [seed]))
  const data = {
    seeds: outcomes.length,
    seconds: Math.round(seconds),
    messages: count(({ seen }) => seen.entries.filter(({ type }) => type === "taken").length),
    sessions: count(({ seen }) => seen.sessions.length),
    faults: Object.fromEntries(faults),
    failed
  }
  return {
    complaints: outcomes.flatMap(({ complaints, plan }) => complaints.map((one) => `seed ${plan.seed}: ${one}`)),
    results: {
      name: "faults",
      title: "Faults between the two processes",
      data,
      page: [
        `${data.seeds} seeds in ${data.seconds} s: ${data.messages} messages, ${data.sessions} sessions opened again afterwards. ` +
          (failed.length === 0 ? "No complaint." : `Complaints of the seeds ${failed.join(", ")}.`),
        "",
        ...Results.table(["what was done", "times"], faults)
      ]
    }
  }
}

export const ofLoad = (measured: ReadonlyArray<Load.Measured>): Report => ({
  complaints: measured.flatMap(({ complaints, title }) => complaints.map((one) => `${title}: ${one}`)),
  results: {
    name: "load",
    title: "A thousand sessions on one connection",
    data: {
      cases: measured.map(({ turn, ...rest }) => ({
        ...rest,
        turn: { p50: Results.quantile(turn, 0.5), p99: Results.quantile(turn, 0.99) }
      }))
    },
    page: Results.table(
      [
        "",
        "sessions",
        "turns at once",
        "calls",
        "open them, ms",
        "a turn each, ms",
        "a turn, p50 and p99, ms",
        "close them, ms",
        "wrong"
      ],
      measured.map(({ calls, closing, complaints, opening, sessions, title, turn, turns, turnsAtOnce }) => [
        title,
        sessions,
        turnsAtOnce,
        calls,
        milliseconds(opening),
        milliseconds(turns),
        `${milliseconds(Results.quantile(turn, 0.5))}, ${milliseconds(Results.quantile(turn, 0.99))}`,
        milliseconds(closing),
        complaints.length
      ])
    )
  }
})

export const ofCalls = (measured: ReadonlyArray<Calls.Measured>): Report => ({
  complaints: measured.flatMap(Calls.complaints),
  results: {
    name: "calls",
    title: `${Calls.CALLS} calls in a row`,
    data: { limit: Calls.LIMIT, cases: measured },
    page: [
      `How much the heap in use grows with each call, behind a garbage collection; it may by less than ${Calls.LIMIT} bytes, ` +
        "but where every call is remembered. What is open is the same before and after.",
      "",
      ...Results.table(
        ["", "side", "bytes per call", "open before", "open after"],
        measured.flatMap(({ sides, title }) =>
          sides.map(({ bytesPerCall, isLimited, resourcesAfter, resourcesBefore, side }) => [
            title,
            side,
            `${bytesPerCall.toFixed(1)}${isLimited ? "" : " (remembered)"}`,
            resourcesBefore.length,
            resourcesAfter.length
          ])
        )
      )
    ]
  }
})
