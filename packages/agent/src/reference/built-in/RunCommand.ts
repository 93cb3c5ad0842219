/** The built-in tool `run_command`: in a terminal of the client, and only where it has some (OWN-2). */
import { Json, type JsonObject, Wording } from "@acp-client-tools/protocol"
import { Effect, Schema } from "effect"
import * as Tool from "../../Tool.ts"
import * as BuiltInTool from "./BuiltInTool.ts"

const Arguments = Schema.Struct({
  command: Schema.String.annotate({ description: "The program. No shell reads it: for a pipe, run sh with -c." }),
  args: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Its arguments, one each." })),
  cwd: Schema.optionalKey(
    Schema.String.annotate({ description: "Where it runs: absolute, or relative to the session's folder." })
  )
})

/** How much of a command's output the client keeps, in bytes: the end of it. */
const OUTPUT_LIMIT = 1024 * 1024

const endOf = (exit: unknown): ReadonlyArray<string> => {
  const signal = Json.get(exit, "signal")
  if (typeof signal === "string") return [Wording.commandKilled(signal)]
  const code = Json.get(exit, "exitCode")
  return typeof code === "number" ? [Wording.commandExited(code)] : []
}

/** What the model reads: the output, and how the command ended. */
const toText = (answer: unknown, exit: unknown): string => {
  const output = Json.get(answer, "output")
  return [
    ...(Json.get(answer, "truncated") === true ? [Wording.commandOutputCut] : []),
    ...(typeof output === "string" && output !== "" ? [output.replace(/\n$/, "")] : []),
    ...endOf(exit)
  ].join("\n")
}

const run = ({ cwd: folder, host, sessionId }: BuiltInTool.Place) => {
  const inTerminal = (method: string, params: JsonObject) => host.request(method, { sessionId, ...params })
  return Effect.fnUntraced(function* ({ args, command, cwd }: typeof Arguments.Type) {
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const created = yield* restore(
          inTerminal("terminal/create", {
            command,
            ...(args === undefined ? {} : { args }),
            cwd: cwd === undefined ? folder : BuiltInTool.absolute(folder, cwd),
            outputByteLimit: OUTPUT_LIMIT
          })
        )
        const terminalId = Json.get(created, "terminalId")
        if (typeof terminalId !== "string") return Tool.failed(Wording.answerWithout("terminal/create", "terminalId"))
        // Ends the command where it still runs. Nobody waits for the answer: the client may owe it for ever.
        const release = Effect.forkDetach(Effect.ignore(inTerminal("terminal/release", { terminalId })), {
          startImmediately: true
        })
        return yield* restore(
          Effect.gen(function* () {
            const exit = yield* inTerminal("terminal/wait_for_exit", { terminalId })
            return BuiltInTool.succeeded(toText(yield* inTerminal("terminal/output", { terminalId }), exit))
          })
        ).pipe(Effect.ensuring(release))
      })
    )
  })
}

export const make = (place: BuiltInTool.Place): Tool.Tool =>
  BuiltInTool.make(
    {
      name: "run_command",
      description: "Run a program to its end and read what it wrote.",
      schema: Arguments,
      kind: "execute",
      title: ({ args = [], command }) => Wording.runCommandTitle([command, ...args].join(" ")),
      execute: run(place)
    },
    place
  )
