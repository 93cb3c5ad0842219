/** One prompt of our client to somebody else's agent, with the wire between them recorded. Used by the tests with peers. */
import type { ChildProcess } from "node:child_process"
import { Json } from "@acp-client-tools/protocol"
import * as Command from "./Command.ts"
import * as Run from "./Run.ts"
import * as Wire from "./Wire.ts"
import * as WireRecord from "./WireRecord.ts"

export interface Options extends Run.Options {
  /** Called with every message and every line of the agent's stderr as it comes. */
  readonly onEntry?: (entry: WireRecord.Entry, client: Pick<ChildProcess, "kill">) => void
}

export interface Outcome extends Run.Ended {
  readonly wire: ReadonlyArray<WireRecord.Message>
  /** The agent's exit code, or the signal that ended it; `undefined` when it was not there to say so any more. */
  readonly agentExit: string | undefined
}

/** Runs the client with these flags to its end, which comes when nobody holds its stdout and stderr any more. */
export const toEnd = async (
  agent: Command.Command,
  flags: ReadonlyArray<string>,
  { onEntry = () => undefined, onStart, ...options }: Options = {}
): Promise<Outcome> => {
  const started = Promise.withResolvers<ChildProcess>()
  const record = await WireRecord.start((entry) => void started.promise.then((client) => onEntry(entry, client)))
  const ended = await Run.toEnd(Command.client(flags, record.tap(agent)), {
    ...options,
    onStart: (client) => {
      started.resolve(client)
      onStart?.(client)
    }
  })
  record.stop()
  const entries = await record.entries
  return {
    ...ended,
    wire: Wire.messages(entries),
    agentExit: entries.find(({ from }) => from === "exit")?.line
  }
}

/** The lines of `--json`. */
export const lines = ({ stdout }: Outcome): ReadonlyArray<unknown> =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

/** What the lines of `--json` must be: every update in front of the prompt's answer as it came, and the stop reason. */
export const expectedLines = ({ wire }: Outcome): ReadonlyArray<unknown> => {
  const [prompt] = Wire.ofMethod(wire, "session/prompt")
  const answer = Wire.answerTo(wire, prompt)
  const before = wire.slice(0, answer === undefined ? wire.length : wire.indexOf(answer))
  return [
    ...Wire.ofMethod(before, "session/update").map(({ message }) => message["params"]),
    {
      sessionId: Json.get(prompt?.message["params"], "sessionId"),
      stopReason: Json.get(answer?.message["result"], "stopReason")
    }
  ]
}

/** The methods that the agent asked us for, beside updates. */
export const askedFor = ({ wire }: Outcome): ReadonlyArray<unknown> =>
  wire
    .filter(({ from, message }) => from === "agent" && Object.hasOwn(message, "method"))
    .map(({ message }) => message["method"])
    .filter((method) => method !== "session/update")
