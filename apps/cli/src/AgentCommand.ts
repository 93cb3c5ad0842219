/** The command `agent`: the reference agent on stdin and stdout, as its agent file says (CLI-6). */
import { AgentFile, LocalFiles, ModelFile, ServeStdio, SessionFiles, Stderr } from "@acp-client-tools/agent/node"
import { AgentApp, Secret, type StartMcpServer } from "@acp-client-tools/agent/reference"
import { Effect, LogLevel, References } from "effect"
import { Command, Flag } from "effect/cli"
import * as Failure from "./Failure.ts"
import { version } from "./version.ts"

const badFile = ({ message }: AgentFile.FileFault): Failure.Failure => Failure.badInput(message)

/** The MCP SDK is loaded with the first server: most sessions have none. */
const startMcpServer: StartMcpServer = (server, options) =>
  Effect.promise(() => import("@acp-client-tools/agent/mcp")).pipe(
    Effect.flatMap(({ StdioServer }) => StdioServer.start(server, options))
  )

const flags = {
  config: Flag.String("config").pipe(Flag.withMetavar("FILE"), Flag.withDescription("The agent file, in YAML or JSON"))
}

export const command = Command.make(
  "agent",
  flags,
  Effect.fnUntraced(function* ({ config: path }) {
    Stderr.captureConsole()
    const level = yield* References.MinimumLogLevel
    const file = yield* AgentFile.read(path).pipe(Effect.mapError(badFile))
    const mask = Secret.masking(ModelFile.secretsOf(file, process.env))
    const lineAt = (severity: LogLevel.LogLevel) => (line: string) => {
      if (LogLevel.isLessThanOrEqualTo(level, severity)) Stderr.line(mask(line))
    }
    file.warnings.forEach(lineAt("Warn"))
    const model = yield* ModelFile.load(path, file, process.env).pipe(Effect.mapError(badFile))
    const app = yield* AgentApp.make({
      config: file.config,
      model,
      store: SessionFiles.make(SessionFiles.directoryOf(file, process.env), mask),
      log: lineAt("Info"),
      debug: lineAt("Debug"),
      files: LocalFiles.make(),
      startMcpServer,
      info: { name: "acp-client-tools", version }
    })
    yield* ServeStdio.serve(app, lineAt("Error"))
  }, Effect.scoped)
).pipe(Command.withDescription("Run the reference agent; its client speaks ACP on stdin and stdout"))
