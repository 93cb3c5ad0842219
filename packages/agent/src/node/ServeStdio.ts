/** An agent app on this process's stdin and stdout, until the client goes or the process is told to end (SESS-4). */
import { Writable } from "node:stream"
import { type AgentConnection, MessageTooLargeError, ndJsonStream, type Stream } from "@agentclientprotocol/sdk"
import { Wording } from "@acp-client-tools/protocol"
import { Effect } from "effect"
import * as StdinStream from "./StdinStream.ts"

/** The listener stays: a second signal, while the first is being obeyed, would end the process on the spot. */
const signalled = (signal: NodeJS.Signals): Effect.Effect<void> =>
  Effect.callback((resume) => {
    process.on(signal, () => resume(Effect.void))
  })

/** How long after the end of its input an agent goes on with what it has read, in ms: its answers may find no reader. */
const END_GRACE = 500

// A client that does not read does not keep the agent (SESS-4).
const FLUSH_GRACE = 1_000

const flushed = (stream: NodeJS.WriteStream): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    stream.once("error", () => resume(Effect.void))
    stream.write("", () => resume(Effect.void))
  }).pipe(Effect.timeoutOption(FLUSH_GRACE), Effect.asVoid)

/** Nobody reads stdout any more. The SDK would notice at its next write; an agent at rest would never write again. */
const readerGone: Effect.Effect<void> = Effect.callback((resume) => {
  const listener = () => resume(Effect.void)
  process.stdout.on("error", listener)
  return Effect.sync(() => process.stdout.off("error", listener))
})

/** An agent, ours or an app of the ACP SDK. */
export interface Agent {
  readonly connect: (stream: Stream) => AgentConnection
}

/** Serves one connection; ends when stdin does, when its reader is gone, or on SIGTERM. What was written is flushed. `log` writes a line on stderr. */
export const serve = (agent: Agent, log: (line: string) => void): Effect.Effect<void> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      process.stdout.on("error", () => undefined)
      const ended = Promise.withResolvers<void>()
      const connection = agent.connect(ndJsonStream(Writable.toWeb(process.stdout), StdinStream.make(ended.resolve)))
      return { connection, ended: ended.promise }
    }),
    ({ connection, ended }) =>
      Effect.raceAllFirst([
        Effect.promise(() => connection.closed),
        Effect.andThen(
          Effect.promise(() => ended),
          Effect.sleep(END_GRACE)
        ),
        readerGone,
        signalled("SIGTERM")
      ]),
    ({ connection }) =>
      Effect.sync(() => {
        const reason: unknown = connection.signal.reason
        if (reason instanceof MessageTooLargeError) log(Wording.messageTooLarge)
        connection.close()
        process.stdin.destroy()
      }).pipe(Effect.andThen(flushed(process.stdout)))
  )
