/** A process in which scenarios run, one after the other, so that a client can be killed. Forked by FaultClients. */
import * as FaultScenario from "./FaultScenario.ts"
import type { Question } from "./FaultClients.ts"

const [endLine = ""] = process.argv.slice(2)

process.on("message", ({ agent, discovery }: Question) => {
  void FaultScenario.run(agent, discovery, (line) => console.error(line)).then((outcome) => {
    // What the scenario left behind has its say before it is told to be over.
    setImmediate(() => {
      console.error(endLine)
      process.send?.(outcome)
    })
  })
})
process.on("disconnect", () => process.exit(0))
