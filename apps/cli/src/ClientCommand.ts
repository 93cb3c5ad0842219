/** The command `client`: one prompt to an agent, with tools of one's own (CLI-1 to CLI-4). */
import { text as readAll } from "node:stream/consumers"
import { Toolkit, ToolOffer } from "@acp-client-tools/client"
import { AgentProcess } from "@acp-client-tools/client/node"
import { Connection, PermissionPolicy } from "@acp-client-tools/client/reference"
import { GoDuration, LogLine } from "@acp-client-tools/protocol"
import { Effect, Exit, Fiber, Option, Queue } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as EarlyExit from "./EarlyExit.ts"
import * as Failure from "./Failure.ts"
import * as LeftBehind from "./LeftBehind.ts"
import * as Signals from "./Signals.ts"
import * as Stderr from "./Stderr.ts"
import * as Stdout from "./Stdout.ts"
import * as TerminalPermission from "./TerminalPermission.ts"
import * as ToolsModule from "./ToolsModule.ts"
import * as UpdatePrinter from "./UpdatePrinter.ts"
import { version } from "./version.ts"

const flags = {
  tools: Flag.String("tools").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("JavaScript or TypeScript module whose default export is an array of tool definitions"),
    Flag.optional
  ),
  discovery: Flag.Literals("discovery", ["meta", "request"]).pipe(
    Flag.withDescription(
      "How the tools are offered: the list in initialize (meta, the default), or on the agent's request"
    ),
    Flag.withDefault("meta")
  ),
  permission: Flag.Literals("permission", ["ask", "allow", "deny"]).pipe(
    Flag.withDescription(
      "Who answers the agent's permission questions: you, at the terminal (ask, the default), or always the same"
    ),
    Flag.withDefault("ask")
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Write every session/update as a JSON line, the stop reason last"),
    Flag.withDefault(false)
  ),
  prompt: Flag.String("prompt").pipe(
    Flag.withMetavar("TEXT"),
    Flag.withDescription("The prompt; without it, stdin is the prompt"),
    Flag.optional
  ),
  timeout: Flag.String("timeout").pipe(
    Flag.withMetavar("DURATION"),
    Flag.withDescription("How long the agent may take to answer initialize, such as 90s; 60s by default"),
    Flag.withDefault("60s")
  ),
  agent: Argument.String("AGENT COMMAND").pipe(
    Argument.withDescription("The agent and its arguments, after --"),
    Argument.variadic({ min: 1 })
  )
}

/**
 * The command line with a prompt that begins with a dash (a list in Markdown, a negative number) joined to its flag: the parser
 * would take it for flags. One with two dashes is a flag whose prompt was forgotten; `--prompt=TEXT` takes any text.
 */
export const withPrompt = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = args.indexOf("--prompt")
  const text = args[at + 1]
  const isInFront = at >= 0 && !args.slice(0, at).includes("--")
  if (!isInFront || text === undefined || !text.startsWith("-") || text.startsWith("--")) return args
  return args.toSpliced(at, 2, `--prompt=${text}`)
}

/** How long a cancelled turn may take to end, in ms, before the agent is closed anyway (CLI-4). */
const CANCEL_GRACE = 5_000

const readPrompt = (prompt: Option.Option<string>): Effect.Effect<string, Failure.Failure> => {
  if (Option.isSome(prompt)) {
    return prompt.value.trim() === ""
      ? Effect.fail(Failure.badInput("--prompt is empty"))
      : Effect.succeed(prompt.value)
  }
  if (process.stdin.isTTY)
    return Effect.fail(Failure.badInput("there is no prompt; give --prompt TEXT, or write it to stdin"))
  return Effect.promise(() => readAll(process.stdin)).pipe(
    Effect.filterOrFail(
      (text) => text.trim() !== "",
      () => Failure.badInput("stdin is empty; it is the prompt when there is no --prompt")
    )
  )
}

const permissionPolicy = (
  permission: "ask" | "allow" | "deny",
  freshLine: () => void
): PermissionPolicy.PermissionPolicy =>
  permission === "ask" ? TerminalPermission.forStdio(Stderr.writeLine, freshLine) : PermissionPolicy[permission]

interface Input {
  readonly agentCommand: ReadonlyArray<string>
  readonly connection: Connection.Options
  readonly prompt: Option.Option<string>
  readonly printer: UpdatePrinter.UpdatePrinter
}

/** What a signal can act on, once it is there. */
interface Running {
  hurry: Effect.Effect<void>
  cancel: Effect.Effect<void> | undefined
}

/** Starts the agent, runs the one turn, and ends the agent. */
const work = Effect.fnUntraced(
  function* ({ agentCommand, connection, printer, prompt }: Input, running: Running) {
    const text = yield* readPrompt(prompt)
    const cwd = yield* Effect.try({
      try: () => process.cwd(),
      catch: () => Failure.badInput("the working directory does not exist any more")
    })
    const [command = "", ...args] = agentCommand
    const agent = yield* AgentProcess.start({ command, args, onNoise: Stderr.writeLine })
    running.hurry = agent.hurry
    const { newSession } = yield* Connection.make(agent.stream, { ...connection, whyClosed: agent.whyClosed })
    const session = yield* newSession(cwd)
    running.cancel = session.cancel
    const stopReason = yield* session.prompt(text)
    printer.stop(session.sessionId, stopReason)
    if (stopReason === "end_turn") return
    return yield* Failure.agentFailed(`the turn ended with ${LogLine.escape(stopReason)}`)
  },
  Effect.scoped,
  Effect.catchTag("AgentFailed", ({ message }) => Effect.fail(Failure.agentFailed(message)))
)

/**
 * Runs the work until it ends or a signal ends it: the first SIGINT cancels the turn and waits a while, a second one does
 * not wait for anything; the others close the agent (CLI-4, CLIENT-8).
 */
const untilSignal = Effect.fnUntraced(function* (input: Input) {
  const signals = yield* Signals.listen("SIGINT", "SIGTERM", "SIGHUP")
  const running: Running = { hurry: Effect.void, cancel: undefined }
  const turn = yield* Effect.forkChild(work(input, running))
  const ended = Fiber.await(turn)
  const first = yield* Effect.raceFirst(Effect.as(ended, undefined), Queue.take(signals))
  if (first === undefined) return yield* Fiber.join(turn)

  // From here on the signal decides the exit code, however the turn ends.
  if (first === "SIGINT" && running.cancel !== undefined) {
    Stderr.writeLine("cancelling the turn; press Ctrl-C again to close at once")
    yield* running.cancel
    yield* Effect.raceFirst(ended, Queue.peek(signals)).pipe(Effect.timeoutOption(CANCEL_GRACE))
  }
  const hurried = Queue.take(signals).pipe(
    Effect.andThen(Effect.suspend(() => running.hurry)),
    Effect.andThen(Effect.never)
  )
  yield* Effect.raceFirst(Fiber.interrupt(turn), hurried)
  return yield* Failure.signalled(first)
}, Effect.scoped)

export const command = Command.make(
  "client",
  flags,
  Effect.fnUntraced(function* ({ agent, discovery, json, permission, prompt, timeout, tools }) {
    const stdout = Stdout.keep()
    Stderr.captureErrors()
    LeftBehind.report(Stderr.writeLine)
    const initializeTimeout = GoDuration.parse(timeout)
    if (initializeTimeout === undefined) {
      return yield* Failure.badInput(`--timeout: ${JSON.stringify(timeout)} is not ${GoDuration.accepted}`)
    }
    const toolkit = Option.isSome(tools) ? yield* ToolsModule.read(tools.value) : Toolkit.empty
    const printer = json
      ? UpdatePrinter.json(stdout.write)
      : UpdatePrinter.text(stdout.write, Stderr.writeLine, process.stdout.isTTY)
    const over = EarlyExit.watch("a tool ended the process in the midst of the turn", (code) =>
      code === 0 ? Failure.agentFailed("").exitCode : code
    )
    yield* untilSignal({
      agentCommand: agent,
      prompt,
      printer,
      connection: {
        tools: ToolOffer.make(toolkit, discovery),
        permission: permissionPolicy(permission, printer.freshLine),
        onUpdate: printer.update,
        log: Stderr.writeLine,
        info: { name: "acp-client-tools", version },
        initializeTimeout: initializeTimeout.milliseconds
      }
    }).pipe(
      Effect.onExit((exit) => {
        printer.freshLine()
        over()
        // Who has pressed Ctrl-C does not wait for a reader.
        return Exit.isFailure(exit) && Failure.isSignalled(exit.cause) ? Effect.void : stdout.flushed
      })
    )
    const lost = stdout.fault()
    if (lost !== undefined) return yield* Failure.agentFailed(`what was written to stdout is lost: ${lost}`)
  })
).pipe(Command.withDescription("Start an ACP agent, offer it tools and give it a prompt"))
