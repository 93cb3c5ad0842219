/**
 * `pnpm demo`: our client and our agent as two processes, in both discovery modes, shown from the recorded wire and
 * checked against it. `--wire` shows the JSON; `--tools FILE` offers other tools of the same names.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs, styleText } from "node:util"
import type { Command } from "../Command.ts"
import * as WireRecord from "../WireRecord.ts"
import * as Lanes from "./Lanes.ts"
import { stories, type Story, toolsFile } from "./Story.ts"

const usage = "usage: demo [--wire] [--tools FILE]"

const readOptions = () => {
  try {
    const { values } = parseArgs({
      options: { wire: { type: "boolean", default: false }, tools: { type: "string", default: toolsFile } }
    })
    return values
  } catch {
    process.stderr.write(`${usage}
`)
    return process.exit(2)
  }
}
const options = readOptions()

// Whoever reads only the beginning has seen enough.
process.stdout.on("error", () => process.exit(1))

// From source: a clone shows something before anything is built.
const cli = fileURLToPath(new URL("../../../cli/src/main.ts", import.meta.url))
const command = (...args: ReadonlyArray<string>): Command => ({ command: process.execPath, args: [cli, ...args] })

// The demo's sessions are not among the user's.
const stateHome = mkdtempSync(join(tmpdir(), "acp-client-tools-demo-"))
process.on("exit", () => rmSync(stateHome, { recursive: true, force: true }))
const env = { ...process.env, XDG_STATE_HOME: stateHome }

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const show = (entry: WireRecord.Entry, line: string | undefined): void => {
  if (line !== undefined) print(line)
  if (options.wire && "message" in entry)
    print(styleText("dim", `    ${entry.from === "client" ? "→" : "←"} ${entry.line}`))
}

/** Runs one part, shows it as it happens, and gives whether its checks hold; `undefined` when there was nothing to show. */
const tell = async (story: Story): Promise<boolean | undefined> => {
  print(`\n${styleText("bold", story.title)}\n`)
  Lanes.heading.forEach(print)
  const line = Lanes.make()
  const record = await WireRecord.start((entry) => show(entry, line(entry)))
  const agent = record.tap(command("agent", "--config", story.configFile))
  const flags = ["--tools", options.tools, "--discovery", story.discovery, "--permission", "allow", "--json"]
  const { args, command: node } = command(
    "client",
    ...flags,
    "--prompt",
    story.prompt,
    "--",
    agent.command,
    ...agent.args
  )
  // What the client prints is on the wire as well, and what the agent writes on stderr was recorded.
  const client = spawn(node, args, { env, stdio: ["ignore", "ignore", "pipe"] })
  const complaints: Array<string> = []
  client.stderr.setEncoding("utf8").on("data", (text: string) => complaints.push(text))
  const exitCode = await new Promise<number | null>((resolve) => {
    client.on("close", resolve)
  })
  record.stop()
  const entries = await record.entries

  if (entries.length === 0) {
    print(complaints.join("").trimEnd())
    return undefined
  }

  const checks = [...story.checks(entries), { sentence: "the client exited with code 0", holds: exitCode === 0 }]
  print("")
  for (const { holds, sentence } of checks) {
    print(holds ? `${styleText("green", "✓")} ${sentence}` : `${styleText("red", "✗")} ${sentence}`)
  }
  if (exitCode !== 0) print(complaints.join(""))
  return checks.every(({ holds }) => holds)
}

const verdicts: Array<boolean | undefined> = []
for (const story of stories) {
  // Where nothing was shown, the next part would show nothing either.
  if (!verdicts.includes(undefined)) verdicts.push(await tell(story))
}
const allHold = verdicts.every((verdict) => verdict === true)
print(allHold ? "\nEverything shown was read off the wire, and every check holds." : "\nSomething is off; see above.")
process.exit(allHold ? 0 : 1)
