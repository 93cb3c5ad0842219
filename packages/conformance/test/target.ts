import { fileURLToPath } from "node:url"
import { RunTranscript, Transcript } from "../src/index.ts"
import type { Json } from "../src/index.ts"

const peer = (name: string) => fileURLToPath(new URL(`./peers/${name}.mjs`, import.meta.url))

/** The hand-written peers, broken in the given manner. */
export const target = (manner: string): RunTranscript.Target => ({
  agentCommand: () => ({ command: process.execPath, args: [peer("agent"), manner] }),
  clientCommand: ({ toolsFile, prompt, agent }) => ({
    command: process.execPath,
    args: [peer("client"), toolsFile ?? "", prompt ?? "", manner, agent.command, ...agent.args]
  })
})

/** Runs steps against the agent of the given manner. */
export const runAgent = (manner: string, steps: ReadonlyArray<Json>, more: Record<string, Json> = {}) =>
  RunTranscript.run(
    Transcript.decode({
      id: manner,
      side: "agent",
      requirements: ["X-1"],
      description: "d",
      setup: {},
      timeoutMs: 2000,
      ...more,
      steps
    }),
    target(manner)
  )

/** Runs steps against the client of the given manner. */
export const runClient = (manner: string, steps: ReadonlyArray<Json>, more: Record<string, Json> = {}) =>
  RunTranscript.run(
    Transcript.decode({
      id: manner,
      side: "client",
      requirements: ["X-1"],
      description: "d",
      timeoutMs: 2000,
      setup: {
        prompt: "Hello",
        tools: [
          { name: "greet", method: "_t/greet", behaviour: { return: "hi" } },
          { name: "hang", method: "_t/hang", behaviour: { never: true } }
        ]
      },
      ...more,
      steps
    }),
    target(manner)
  )
