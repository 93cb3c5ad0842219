/** An agent app on this process's stdin and stdout, until the client goes or the process is told to end (SESS-4). */
import { Readable, Writable } from "node:stream"
import { type AgentApp, MessageTooLargeError, ndJsonStream } from "@agentclientprotocol/sdk"
import { Wording } from "@acp-client-tools/protocol"
import { Effect } from "effect"

const signalled = (signal: NodeJS.Signals): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const listener = () => resume(Effect.void)
    process.once(signal, listener)
    return Effect.sync(() => process.off(signal, listener))
  })

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

/** Serves one connection; ends when stdin does, when its reader is gone, or on SIGTERM. What was written is flushed. `log` writes a line on stderr. */
export const serve = (app: AgentApp, log: (line: string) => void): Effect.Effect<void> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      process.stdout.on("error", () => undefined)
      return app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
    }),
    (connection) => Effect.raceAllFirst([Effect.promise(() => connection.closed), readerGone, signalled("SIGTERM")]),
    (connection) =>
      Effect.sync(() => {
        const reason: unknown = connection.signal.reason
        if (reason instanceof MessageTooLargeError) log(Wording.messageTooLarge)
        connection.close()
        process.stdin.destroy()
      }).pipe(Effect.andThen(flushed(process.stdout)))
  )
