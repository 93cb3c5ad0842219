/** What went over the wire between a client and its agent, recorded by a WireTap. Used by the demo and by the tests. */
import { createServer } from "node:net"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Json } from "@acp-client-tools/protocol"
import type { Command } from "./Command.ts"

/** A message, a line of the agent's stderr, or how the agent ended. */
export type Entry =
  | { readonly from: "client" | "agent"; readonly message: Json.JsonObject; readonly line: string }
  | { readonly from: "stderr" | "exit"; readonly line: string }

/** Messages only. */
export type Message = Extract<Entry, { readonly message: Json.JsonObject }>

export interface WireRecord {
  /** The agent's command with the tap in front of it. */
  readonly tap: (agent: Command) => Command
  /** All that was seen, in order; settles when the agent has ended. */
  readonly entries: Promise<ReadonlyArray<Entry>>
  /** Waits no longer for a tap that was never started. */
  readonly stop: () => void
}

const tapFile = fileURLToPath(new URL("./WireTap.ts", import.meta.url))

const decode = (text: string): Entry => {
  const { from, line }: { readonly from: Entry["from"]; readonly line: string } = JSON.parse(text)
  if (from === "stderr" || from === "exit") return { from, line }
  const parsed = Json.parse(line)?.value
  return { from, line, message: Json.isObject(parsed) ? parsed : {} }
}

/** Listens for one tap; `onEntry` hears of everything as it happens. */
export const start = (onEntry: (entry: Entry) => void = () => undefined): Promise<WireRecord> =>
  new Promise((resolve, reject) => {
    const entries: Array<Entry> = []
    const ended = Promise.withResolvers<ReadonlyArray<Entry>>()
    let isTapped = false
    const server = createServer((socket) => {
      isTapped = true
      server.close()
      createInterface({ input: socket })
        .on("line", (text) => {
          const entry = decode(text)
          entries.push(entry)
          onEntry(entry)
        })
        .on("close", () => ended.resolve(entries))
    })
    server.on("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resolve({
        entries: ended.promise,
        stop: () => {
          if (isTapped) return
          server.close()
          ended.resolve(entries)
        },
        tap: ({ args, command }) => ({ command: process.execPath, args: [tapFile, `${port}`, command, ...args] })
      })
    })
  })
