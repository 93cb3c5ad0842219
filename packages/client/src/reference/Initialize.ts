/** The `initialize` of a connection: waited for, and an agent of another protocol version refused (CLIENT-8). */
import { type InitializeResponse, PROTOCOL_VERSION } from "@agentclientprotocol/sdk"
import { Json, Wording } from "@acp-client-tools/protocol"
import { Effect } from "effect"
import { AgentFailed } from "./AgentFailed.ts"

/** How long it may stay unanswered, in ms, unless the client says otherwise. */
export const TIMEOUT = 60_000
const WAITING_LINE_AFTER = 5_000

const isInitializeResponse = (answer: unknown): answer is InitializeResponse =>
  Json.get(answer, "protocolVersion") === PROTOCOL_VERSION

const decode = (answer: unknown): Effect.Effect<InitializeResponse, AgentFailed> => {
  if (isInitializeResponse(answer)) return Effect.succeed(answer)
  const version = Json.stringify(Json.get(answer, "protocolVersion")) ?? "null"
  return Effect.fail(new AgentFailed({ message: Wording.otherVersion(version, PROTOCOL_VERSION) }))
}

/** Waits for the answer, says so when that takes long, gives up at the timeout (in ms), and reads it. */
export const answered = (
  answer: Effect.Effect<unknown, AgentFailed>,
  timeout: number,
  log: (line: string) => void
): Effect.Effect<InitializeResponse, AgentFailed> => {
  const waiting = Effect.sync(() => log(Wording.waitingForInitialize)).pipe(
    Effect.delay(WAITING_LINE_AFTER),
    Effect.andThen(Effect.never)
  )
  return Effect.raceFirst(answer, waiting).pipe(
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.fail(new AgentFailed({ message: Wording.noInitialize(timeout / 1000) }))
    }),
    Effect.flatMap(decode)
  )
}
