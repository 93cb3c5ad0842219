/**
 * Our client with an agent by others that knows nothing of the extension: the example agent of the ACP SDK. It waits a
 * second between its steps, so all its turns run side by side. A larger agent is in gemini-cli.peer.ts.
 */
import { fileURLToPath } from "node:url"
import { Json } from "@acp-client-tools/protocol"
import { beforeAll, describe, expect, it } from "vitest"
import type * as Command from "../src/Command.ts"
import * as Folder from "../src/Folder.ts"
import * as PeerRun from "../src/PeerRun.ts"
import * as Wire from "../src/Wire.ts"

const exampleAgent: Command.Command = {
  command: process.execPath,
  // The package exports a library; its examples are files beside it.
  args: [fileURLToPath(new URL("../node_modules/acp-example-agent/dist/examples/agent.js", import.meta.url))]
}

/** What it says, whatever it is asked. */
const words = {
  start: "I'll help you with that. Let me start by reading some files to understand the current situation.",
  plan: " Now I understand the project structure. I need to make some changes to improve it.",
  allowed: " Perfect! I've successfully updated the configuration. The changes have been applied.",
  denied: " I understand you prefer not to make that change. I'll skip the configuration update."
}

/** One of its updates as these tests tell them apart. */
const told = (line: unknown): unknown => {
  const update = Json.get(line, "update")
  if (!Json.isObject(update)) return line
  return Wire.updateText(update) || update["status"]
}

describe("the ACP SDK's example agent", () => {
  const all = {} as Record<"allowed" | "denied" | "asked" | "cancelled", PeerRun.Outcome>

  beforeAll(async () => {
    await using folder = await Folder.make({
      "tools.mjs": `export default [{ name: "branch", execute: () => "main" }]`
    })
    const run = (
      flags: ReadonlyArray<string>,
      onEntry: PeerRun.Options["onEntry"] = () => undefined
    ): Promise<PeerRun.Outcome> =>
      PeerRun.toEnd(exampleAgent, [...flags, "--prompt", "Tidy up"], { cwd: folder.path("."), onEntry })
    const tools = ["--tools", "tools.mjs"]
    ;[all.allowed, all.denied, all.asked, all.cancelled] = await Promise.all([
      run(["--json", ...tools, "--permission", "allow"]),
      run(["--json", ...tools, "--discovery", "request", "--permission", "deny"]),
      run(["--discovery", "request"]),
      run(["--json"], (entry, client) => {
        if (entry.line.includes(`"sessionUpdate":"tool_call"`)) client.kill("SIGINT")
      })
    ])
  }, 30_000)

  it.each([
    ["allowed", ["completed", words.allowed]],
    ["denied", [words.denied]]
  ] as const)(
    "runs a turn with tools to its end when its question is %s: all its updates, in order [CLI-2.a CLI-2.b CLI-3.b CLI-4.a]",
    (name, ending) => {
      const lines = PeerRun.lines(all[name])
      expect(lines).toEqual(PeerRun.expectedLines(all[name]))
      const read = [words.start, "pending", "# My Project\n\nThis is a sample project...", words.plan, "pending"]
      expect(lines.slice(0, -1).map(told)).toEqual([...read, ...ending])
      expect(lines.at(-1)).toMatchObject({ stopReason: "end_turn" })
      expect(all[name]).toMatchObject({ exitCode: 0, stderr: "", agentExit: "0" })
    }
  )

  it("runs a turn without tools to its end: its words on stdout, its tool calls on stderr [CLI-1.b CLI-3.a CLI-4.a]", () => {
    const { agentExit, exitCode, stderr, stdout } = all.asked
    expect({ agentExit, exitCode }).toEqual({ agentExit: "0", exitCode: 0 })
    expect(stdout.split("\n")).toEqual([words.start, words.plan, words.denied, ""])
    expect(stderr.split("\n")).toEqual([
      "[tool] Reading project files: pending",
      "[tool] Reading project files: completed",
      "[tool] Modifying critical configuration file: pending",
      "permission denied: --permission ask needs a terminal; use --permission allow or deny",
      ""
    ])
  })

  it("ends its turn on Ctrl-C, and is gone [CLI-4.d CLI-4.e]", () => {
    const lines = PeerRun.lines(all.cancelled)
    expect(lines).toEqual(PeerRun.expectedLines(all.cancelled))
    expect(lines.slice(0, 2).map(told)).toEqual([words.start, "pending"])
    expect(lines.at(-1)).toMatchObject({ stopReason: "cancelled" })
    expect(all.cancelled).toMatchObject({ exitCode: 130, agentExit: "0" })
  })

  it("is offered a list, a promise of one or nothing, and asks for nothing but permission [CLI-1.b CLIENT-10.c]", () => {
    const offers = Object.values(all).map(({ wire }) => {
      const [initialize] = Wire.ofMethod(wire, "initialize")
      return Json.get(Json.get(initialize?.message["params"], "clientCapabilities"), "_meta")
    })
    const list = [{ name: "branch", method: "_org.acp-client-tools/branch" }]
    expect(offers).toEqual([{ "org.mini-me/tools": list }, { "org.mini-me/tools": true }, {}, {}])
    const question = ["session/request_permission"]
    expect(Object.values(all).map(PeerRun.askedFor)).toEqual([question, question, question, []])
  })
})
