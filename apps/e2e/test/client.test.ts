/** CLIENT: a client that leaves an agent which does not want to end. Real processes, and the waits of the command itself. */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import * as Command from "../src/Command.ts"
import * as Folder from "../src/Folder.ts"
import * as Run from "../src/Run.ts"

const silentAgent = (manner: "silent" | "deaf"): Command.Command => ({
  command: process.execPath,
  args: [fileURLToPath(new URL("../src/SilentAgent.ts", import.meta.url)), manner]
})

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/**
 * Runs the client: `leave` is called once the agent was prompted, `insist` once the client says that it is cancelling. Gives
 * how it ended, how long that took after the prompt, and whether the agent is still there.
 */
const prompted = async (
  command: Command.Command,
  leave: (client: ChildProcess) => void = () => undefined,
  insist: (client: ChildProcess) => void = () => undefined
) => {
  let at = 0
  let pid = 0
  const { exitCode } = await Run.toEnd(command, {
    onStart: (client) => {
      if (client.stderr === null) return
      createInterface({ input: client.stderr }).on("line", (line) => {
        if (line.startsWith("cancelling the turn")) insist(client)
        if (!line.startsWith("prompted ")) return
        pid = Number(line.slice("prompted ".length))
        at = performance.now()
        leave(client)
      })
    }
  })
  return { exitCode, took: performance.now() - at, isAgentThere: isThere(pid) }
}

it("after the first Ctrl-C an agent has 5 s to end the turn [CLI-4.h CLI-4.d]", async () => {
  const command = Command.client(["--prompt", "Hi"], silentAgent("silent"))
  const { exitCode, isAgentThere, took } = await prompted(command, (client) => client.kill("SIGINT"))
  expect({ exitCode, isAgentThere }).toEqual({ exitCode: 130, isAgentThere: false })
  expect(took).toBeGreaterThan(5_000)
})

it("Ctrl-C twice leaves an agent that reads no more [CLI-4.d CLI-4.f]", async () => {
  await using folder = await Folder.make({
    "tools.mjs": `export default [{ name: "big", method: "_t/big", execute: () => "x".repeat(4 << 20) }]`
  })
  const command = Command.client(["--tools", folder.path("tools.mjs"), "--prompt", "Hi"], silentAgent("deaf"))
  const interrupt = (client: ChildProcess) => client.kill("SIGINT")
  const { exitCode, isAgentThere } = await prompted(command, interrupt, interrupt)
  expect({ exitCode, isAgentThere }).toEqual({ exitCode: 130, isAgentThere: false })
})

it("a tool that ends the process leaves no agent behind [CLIENT-8.b]", async () => {
  await using folder = await Folder.make({
    "tools.mjs": `export default [{ name: "big", method: "_t/big", execute: () => process.exit(7) }]`
  })
  const command = Command.client(["--tools", folder.path("tools.mjs"), "--prompt", "Hi"], silentAgent("deaf"))
  // The agent has the client's stderr: that this run ends at all says that the agent is gone.
  expect(await prompted(command)).toMatchObject({ exitCode: 7 })
})

it("whose stdout takes nothing says so, and does not end as if all was well [CLI-4.b]", async () => {
  await using folder = await Folder.make({
    "agent.yaml": JSON.stringify({ model: { provider: "script", script: "./steps.yaml" } }),
    "steps.yaml": JSON.stringify({ steps: [{ text: "Done." }] })
  })
  const { args, command } = Command.client(["--prompt", "Hi"], Command.agent(folder.path("agent.yaml")))
  const readOnly = openSync(folder.path("agent.yaml"), "r")
  const client = spawn(command, args, { stdio: ["ignore", readOnly, "pipe"] })
  closeSync(readOnly)
  const exited = new Promise((resolve) => client.on("exit", resolve))
  expect(client.stderr === null ? "" : await text(client.stderr)).toContain("what was written to stdout is lost: ")
  expect(await exited).toBe(1)
})
