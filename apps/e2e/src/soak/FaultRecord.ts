/** What a FaultRelay saw and did, in order. Listened for by FaultRun, judged by Oracle. */
import { createServer } from "node:net"
import { createInterface } from "node:readline"
import type { Command } from "../Command.ts"
import type { Direction, Fault, Kill } from "./FaultPlan.ts"

/** A request that the relay itself answers: it does no more harm, and all that waited has been delivered. */
export const CALM_METHOD = "_soak/calm"

export type Entry =
  | { readonly type: "started"; readonly relay: number; readonly agent: number }
  /** A message as its side wrote it, counted from 0 in its direction, and what happens to it. */
  | {
      readonly type: "taken"
      readonly direction: Direction
      readonly message: number
      readonly line: string
      readonly fault?: Fault
    }
  /** A line as the other side reads it. */
  | { readonly type: "delivered"; readonly direction: Direction; readonly line: string }
  | { readonly type: "kill"; readonly side: Kill["side"]; readonly signal: Kill["signal"] }
  /** A line of the agent's stderr. */
  | { readonly type: "stderr"; readonly line: string }
  /** From here on nothing is harmed. */
  | { readonly type: "calm" }
  | { readonly type: "clientEnded" }
  /** The agent's exit code, or the signal that ended it. */
  | { readonly type: "agentEnded"; readonly exit: string }

export interface FaultRecord {
  /** The agent's command with the relay in front of it. */
  readonly relay: (agent: Command, seed: number) => Command
  readonly entries: ReadonlyArray<Entry>
  /** Settles when the relay is gone. */
  readonly ended: Promise<void>
  /** Waits no longer for a relay that was never started. */
  readonly stop: () => void
}

/** Listens for one relay, a program of FaultPrograms. */
export const start = async (relayFile: string): Promise<FaultRecord> => {
  const entries: Array<Entry> = []
  const ended = Promise.withResolvers<void>()
  let isConnected = false
  const server = createServer((socket) => {
    isConnected = true
    server.close()
    // A relay that was killed has told what it could.
    socket.on("error", () => undefined).on("close", () => ended.resolve())
    createInterface({ input: socket }).on("line", (line) => {
      const entry: Entry = JSON.parse(line)
      entries.push(entry)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    entries,
    ended: ended.promise,
    stop: () => {
      if (isConnected) return
      server.close()
      ended.resolve()
    },
    relay: ({ args, command }, seed) => ({
      command: process.execPath,
      args: [relayFile, `${port}`, `${seed}`, command, ...args]
    })
  }
}
