/** `pnpm bench`: what is measured, as tables in Markdown. */
import * as Results from "../Results.ts"
import * as CancelLatency from "./CancelLatency.ts"

const rows = (await CancelLatency.measure()).map(({ cancel, during, roundTrip }) => {
  const [p50, p99] = [Results.quantile(cancel, 0.5), Results.quantile(cancel, 0.99)]
  const bare = Results.quantile(roundTrip, 0.5)
  return [during, p50.toFixed(2), p99.toFixed(2), bare.toFixed(2), (p50 / bare).toFixed(1)]
})
const page = [
  Results.machine(),
  "",
  `From \`session/cancel\` to the prompt's answer, ${CancelLatency.ROUNDS} rounds, in ms:`,
  "",
  ...Results.table(["during", "p50", "p99", "p50 of a bare request", "ratio of the p50"], rows)
]
process.stdout.write(`${page.join("\n")}\n`)
