/** The fixture tools of client transcripts: data that says how each tool behaves, made into definitions (see packages/spec). */
import { readFileSync } from "node:fs"
import type { ToolDefinition } from "@acp-client-tools/client"

interface FixtureTool extends Omit<ToolDefinition, "execute"> {
  readonly behaviour: {
    readonly return?: unknown
    readonly returnArguments?: true
    readonly throw?: string
    readonly never?: true
    readonly waitFor?: string
    readonly special?: string
    readonly writeStdout?: string
  }
}

const HUGE = 32 * 1024 * 1024

const cycle: { self?: unknown } = {}
cycle.self = cycle

const special = new Map<string, () => unknown>([
  ["undefined", () => undefined],
  ["bigint", () => 1n],
  ["cycle", () => cycle],
  ["function", () => () => undefined],
  ["symbol", () => Symbol("value")],
  [
    "throwing-toJSON",
    () => ({
      toJSON: () => {
        throw new Error("toJSON threw")
      }
    })
  ],
  ["huge", () => "x".repeat(HUGE)]
])

/** The definitions of a `tools.json`. */
export const fromFile = (file: string): ReadonlyArray<ToolDefinition> => {
  const tools: ReadonlyArray<FixtureTool> = JSON.parse(readFileSync(file, "utf8"))
  const called = new Map(tools.map(({ name }) => [name, Promise.withResolvers<void>()]))
  return tools.map(({ behaviour, ...description }) => ({
    ...description,
    execute: async (args, { sessionId }) => {
      called.get(description.name)?.resolve()
      if (behaviour.returnArguments) return { args, sessionId }
      if (behaviour.throw !== undefined) throw new Error(behaviour.throw)
      if (behaviour.never) return new Promise(() => undefined)
      if (behaviour.waitFor !== undefined) {
        await called.get(behaviour.waitFor)?.promise
        return "done"
      }
      if (behaviour.special !== undefined) return special.get(behaviour.special)?.()
      if (behaviour.writeStdout !== undefined) {
        process.stdout.write(`${behaviour.writeStdout}\n`)
        console.log(behaviour.writeStdout)
        return "written"
      }
      return behaviour.return
    }
  }))
}
