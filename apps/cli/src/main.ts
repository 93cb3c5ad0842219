#!/usr/bin/env node
/** The command `acp-client-tools`: parses the command line, runs a command, and turns its end into an exit code. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Thrown } from "@acp-client-tools/protocol"
import { Cause, Effect, Exit, Layer, Logger } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import * as AgentCommand from "./AgentCommand.ts"
import * as ClientCommand from "./ClientCommand.ts"
import * as Failure from "./Failure.ts"
import * as Stderr from "./Stderr.ts"
import { version } from "./version.ts"

// Nobody reads stderr: a line less, and no more than that.
process.stderr.on("error", () => undefined)

const root = Command.make("acp-client-tools").pipe(
  Command.withDescription("Client tools over ACP: run the reference agent or the reference client"),
  Command.withSubcommands([AgentCommand.command, ClientCommand.command])
)

/** What the command line's parser has to say, in one message. */
const usageFailure = (error: CliError.CliError): Failure.Failure => {
  const errors = error._tag === "ShowHelp" ? error.errors : [error]
  const command = error._tag === "ShowHelp" ? error.commandPath.join(" ") : root.name
  return Failure.badInput([...errors.map(({ message }) => message), `See ${command} --help`].join("\n"))
}

const formatter = CliOutput.defaultFormatter({ colors: process.stderr.isTTY })

/** Help that nobody asked for goes to stderr: stdout is for data. What is wrong is said once, at the end. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag === "InvalidInvocation") return Effect.void
    if (event._tag !== "Help" || event.reason !== "Implicit") return CliOutput.defaultPresenter.present(event)
    return Effect.sync(() => process.stderr.write(`${formatter.formatHelpDoc(event.helpDoc)}\n`))
  }
}

const services = Layer.mergeAll(
  NodeServices.layer,
  CliOutput.layerPresenter(presenter),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel] }),
  Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])
)

const program = Command.runWith(root, { version })(ClientCommand.withPrompt(process.argv.slice(2))).pipe(
  Effect.catchIf(CliError.isCliError, (error) => Effect.fail(usageFailure(error))),
  Effect.provide(services)
)

const exit = await Effect.runPromiseExit(program)
const failure = Exit.isSuccess(exit) ? undefined : Cause.squash(exit.cause)
const ending =
  failure === undefined || failure instanceof Failure.Failure
    ? failure
    : Failure.agentFailed(`this is a fault of acp-client-tools: ${Thrown.text(failure)}`)
if (ending !== undefined && ending.message !== "") await Stderr.write(ending.message)
// A tools module may have left a timer running; the work is done.
process.exit(ending?.exitCode ?? 0)
