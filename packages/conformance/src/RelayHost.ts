import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"
import type { Server, Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { Lines } from "./Lines.ts"
import type { Line } from "./Lines.ts"
import type { Command } from "./Peer.ts"

const relayFile = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "./relay.ts" : "./relay.js", import.meta.url))

/** The runner's end of the relay: what the client under test writes to its agent, and what that agent does. */
export class RelayHost {
  readonly incoming: Lines
  /** How often the client under test started its agent. */
  starts = 0
  readonly #server: Server
  readonly #token = randomUUID()
  readonly #sockets = new Set<Socket>()
  #socket: Socket | undefined
  #orders = ""

  private constructor(onLine: (line: Line) => void) {
    this.incoming = new Lines(onLine)
    this.#server = createServer((socket) => this.#greet(socket))
  }

  /** Listens on a port of 127.0.0.1. */
  static async listen(onLine: (line: Line) => void): Promise<RelayHost> {
    const host = new RelayHost(onLine)
    host.#server.listen(0, "127.0.0.1")
    await once(host.#server, "listening")
    return host
  }

  /** The agent command for the client under test. */
  agent(stubborn: boolean): Command {
    const address = this.#server.address()
    const port = typeof address === "object" && address !== null ? String(address.port) : ""
    const args = [relayFile, port, this.#token, ...(stubborn ? ["stubborn"] : [])]
    return { command: process.execPath, args }
  }

  /** Gives the relay an order, now or as soon as it is there. */
  order(order: { write: string } | { stderr: string } | { close: true } | { exit: number }): void {
    const line = `${JSON.stringify(order)}\n`
    if (this.#socket === undefined) this.#orders += line
    else if (this.#socket.writable) this.#socket.write(line)
  }

  /** Writes to the agent's stdout, in one call. */
  write(bytes: Uint8Array): void {
    this.order({ write: Buffer.from(bytes).toString("base64") })
  }

  /** The client is gone: unless its agent was started, nothing will ever come. */
  clientExited(): void {
    if (this.#socket === undefined) this.incoming.end()
  }

  /** Lets go of the relay, which then exits, and of the port. */
  async end(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.incoming.end()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #greet(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => this.#sockets.delete(socket))
    let greeting = Buffer.alloc(0)
    const greet = (chunk: Buffer): void => {
      greeting = Buffer.concat([greeting, chunk])
      const end = greeting.indexOf(10)
      if (end < 0) return
      socket.off("data", greet)
      if (greeting.subarray(0, end).toString() !== this.#token) return void socket.destroy()
      this.starts++
      if (this.starts > 1) return // the first one is the conversation
      this.#socket = socket
      socket.on("data", (bytes: Buffer) => this.incoming.push(bytes) || socket.destroy())
      socket.on("end", () => this.incoming.end())
      socket.on("close", () => this.incoming.end())
      this.incoming.push(greeting.subarray(end + 1))
      socket.write(this.#orders)
    }
    socket.on("data", greet)
  }
}
