/**
 * A client that handles no update before all of a burst have come, for a test of what waiting costs: the tool `_t/peak`,
 * called behind them, lets it begin. Prints how many it handled, whether in order, and its peak memory in KiB.
 */
import { startAgent } from "@acp-client-tools/client/promise"

const begin = Promise.withResolvers<void>()
let handled = 0
let areInOrder = true

const [command = "", ...args] = process.argv.slice(2)
const agent = await startAgent(command, args, {
  stderr: "ignore",
  tools: [
    { name: "echo", method: "_t/echo", execute: (given) => given },
    { name: "never", method: "_t/never", execute: () => new Promise(() => undefined) },
    { name: "peak", method: "_t/peak", execute: () => begin.resolve() }
  ],
  onUpdate: ({ update }) => {
    const isNext = JSON.stringify(update).includes(`"chunk ${handled} "`)
    areInOrder &&= isNext
    handled++
    return begin.promise
  }
})
const session = await agent.newSession("/")
const stopReason = await session.prompt("Hello")
console.log(JSON.stringify({ handled, areInOrder, stopReason, peak: process.resourceUsage().maxRSS }))
await agent.close()
