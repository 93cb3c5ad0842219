/** The agent alone and the client alone, each against every transcript of packages/spec that is not for later. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { RunTranscript, Transcript } from "@acp-client-tools/conformance"
import { requirements } from "@acp-client-tools/spec"
import { describe, expect, it } from "vitest"
import * as Command from "../src/Command.ts"

const fixtureTools = new URL("../src/FixtureTools.ts", import.meta.url).href

const target: RunTranscript.Target = {
  agentCommand: ({ configFile }) => Command.agent(configFile),
  clientCommand: async ({ agent, args, dir, prompt, toolsFile }) => {
    const flags = prompt === undefined ? [...args] : ["--prompt", prompt, ...args]
    if (toolsFile !== undefined) {
      const toolsModule = join(dir, "tools.mjs")
      const source = `import { fromFile } from ${JSON.stringify(fixtureTools)}\nexport default fromFile(${JSON.stringify(toolsFile)})\n`
      await writeFile(toolsModule, source)
      flags.push("--tools", toolsModule)
    }
    return Command.client(flags, agent)
  }
}

const forLater = new Set(
  requirements()
    .filter(({ pending }) => pending !== undefined)
    .map(({ id }) => id)
)

for (const side of ["agent", "client"] as const) {
  describe.concurrent(`the ${side} alone`, () => {
    for (const transcript of Transcript.transcripts(side)) {
      if (transcript.requirements.some((id) => forLater.has(id))) continue
      it(`${transcript.id}: ${transcript.description} [${transcript.requirements.join(" ")}]`, async () => {
        const report = await RunTranscript.run(transcript, target)
        expect(report.failure?.message).toBe(undefined)
      })
    }
  })
}
