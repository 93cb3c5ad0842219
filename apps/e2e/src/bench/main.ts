/** `pnpm bench`: what is measured, as tables in Markdown. */
import { cpus } from "node:os"
import * as CancelLatency from "./CancelLatency.ts"

const quantile = (times: ReadonlyArray<number>, q: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * q))] ?? Number.NaN

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const milliseconds = (value: number): string => value.toFixed(2)

print(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}`)
print("")
print(`From \`session/cancel\` to the prompt's answer, ${CancelLatency.ROUNDS} rounds, in ms:`)
print("")
print("| during | p50 | p99 | p50 of a bare request | ratio of the p50 |")
print("| --- | --- | --- | --- | --- |")
for (const { cancel, during, roundTrip } of await CancelLatency.measure()) {
  const [p50, p99, bare] = [quantile(cancel, 0.5), quantile(cancel, 0.99), quantile(roundTrip, 0.5)]
  const cells = [during, milliseconds(p50), milliseconds(p99), milliseconds(bare), (p50 / bare).toFixed(1)]
  print(`| ${cells.join(" | ")} |`)
}
