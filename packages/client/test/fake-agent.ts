/** An agent in memory, written by hand: what arrives is JSON text, and what it sends is written as the test says. */
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk"

export interface FakeAgent {
  /** The client's end. */
  readonly stream: Stream
  /** The next message of the client. */
  readonly next: () => Promise<any>
  /** Writes messages, all in one chunk. */
  readonly send: (...messages: ReadonlyArray<object>) => Promise<void>
  /** Answers the next message of the client, behind the given notifications in one chunk; gives the message. */
  readonly answer: (outcome: object, ...before: ReadonlyArray<object>) => Promise<any>
  /** Ends its stdout. */
  readonly die: () => Promise<void>
}

export const make = (): FakeAgent => {
  const toClient = new TransformStream<Uint8Array, Uint8Array>()
  const toAgent = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, { highWaterMark: 1_000 })
  const writer = toClient.writable.getWriter()
  const reader = toAgent.readable.pipeThrough(new TextDecoderStream()).getReader()
  let buffered = ""
  const next = async () => {
    while (!buffered.includes("\n")) buffered += (await reader.read()).value ?? "\n"
    const end = buffered.indexOf("\n")
    const line = buffered.slice(0, end)
    buffered = buffered.slice(end + 1)
    return JSON.parse(line)
  }
  const send = (...messages: ReadonlyArray<object>) => {
    const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    return writer.write(new TextEncoder().encode(lines.join("")))
  }
  return {
    stream: ndJsonStream(toAgent.writable, toClient.readable),
    next,
    send,
    answer: async (outcome, ...before) => {
      const message = await next()
      await send(...before, { id: message.id, ...outcome })
      return message
    },
    die: () => writer.close()
  }
}

/** Answers `initialize` and `session/new`, so that a test can begin with a prompt. */
export const open = async (agent: FakeAgent): Promise<void> => {
  await agent.answer({ result: { protocolVersion: 1, agentCapabilities: {} } })
  await agent.answer({ result: { sessionId: "s" } })
}
