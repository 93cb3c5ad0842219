/** The heap of an agent that another process started with a HeapProbe in it. Used by Calls. */
import { Json } from "@acp-client-tools/protocol"
import type { Sample } from "./Heap.ts"

/** What begins a line of a probe. */
export const PROBE = "heap probe: "

const probe = new URL("./HeapProbe.ts", import.meta.url).href

export interface AgentHeap {
  /** The environment of the agent. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Hears the agent's stderr. */
  readonly stderr: (line: string) => void
  readonly sample: () => Promise<Sample>
}

export const make = (): AgentHeap => {
  const pid = Promise.withResolvers<number>()
  let answer: ((sample: Sample) => void) | undefined
  return {
    env: { ...process.env, NODE_OPTIONS: `--import=${probe}` },
    stderr: (line) => {
      if (!line.startsWith(PROBE)) return
      const told = JSON.parse(line.slice(PROBE.length))
      if (Json.get(told, "pid") === undefined) answer?.(told)
      else pid.resolve(told.pid)
    },
    sample: async () => {
      const told = new Promise<Sample>((resolve) => {
        answer = resolve
      })
      process.kill(await pid.promise, "SIGUSR2")
      return told
    }
  }
}
