/** The command under test: the bundle that is published, with the Node this process runs on. Used by every test here. */
import { fileURLToPath } from "node:url"

const bundle = fileURLToPath(new URL("../../cli/dist/acp-client-tools.js", import.meta.url))

export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

export const agent = (configFile: string, ...args: ReadonlyArray<string>): Command => ({
  command: process.execPath,
  args: [bundle, "agent", "--config", configFile, ...args]
})

/** The client, with flags of its own and the agent it is to start. */
export const client = (args: ReadonlyArray<string>, agentCommand: Command): Command => ({
  command: process.execPath,
  args: [bundle, "client", ...args, "--", agentCommand.command, ...agentCommand.args]
})
