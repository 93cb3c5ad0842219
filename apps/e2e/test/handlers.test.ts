/** CLIENT-4: handlers that misbehave, all in one turn, with both sides as processes. */
import type { ChildProcess } from "node:child_process"
import { createInterface } from "node:readline"
import { expect, it } from "vitest"
import * as Command from "../src/Command.ts"
import * as Folder from "../src/Folder.ts"
import * as Run from "../src/Run.ts"

const failed = (text: string): string => `[client tool error: ${text}]`

/** Bodies of `execute`, and what the model reads of each. */
const handlers: Readonly<Record<string, readonly [body: string, reads: string | RegExp]>> = {
  throws: [`throw new Error('{"code":1}')`, failed('{"code":1}')],
  rejects: [`return Promise.reject("no")`, failed("no")],
  never: [`return new Promise(() => {})`, failed("cancelled")],
  bigint: [`return { n: 1n }`, /^\[client tool error: the tool returned a value that cannot be written as JSON: /],
  cycle: [`const a = {}; a.a = a; return a`, /^\[client tool error: the tool returned a value that cannot be written/],
  huge: [`return "x".repeat(40 << 20)`, failed("the tool returned more than 32505856 bytes")],
  blocks: [`const end = Date.now() + 1000; while (Date.now() < end); return "unblocked"`, "unblocked"],
  loud: [`process.stdout.write("loud\\n"); console.log("loud"); return "quiet"`, "quiet"],
  piped: [
    `return import("node:stream/promises").then(({ pipeline }) => pipeline(["loud\\n"], process.stdout)).then(() => "piped")`,
    "piped"
  ],
  ends: [`return new Promise((resolve) => process.stdout.end("loud\\n", () => resolve("ended")))`, "ended"],
  typed: [`return "never called"`, failed("invalid arguments: n: must be number")],
  late: [`setTimeout(() => { throw new Error("late") }); return "in time"`, "in time"],
  fine: [`return new Promise((resolve) => setTimeout(resolve, 50, "fine"))`, "fine"]
}

const definition = (name: string): string => {
  const schema = `{ type: "object", properties: { n: { type: "number" } } }`
  return `{ name: "${name}", inputSchema: ${schema}, execute() { ${handlers[name]?.[0] ?? ""} } }`
}

it("harm their own call alone [CLIENT-3.a CLIENT-4.a CLIENT-4.b CLIENT-4.c CLIENT-4.d CLIENT-4.e CLIENT-9.a]", async () => {
  const names = Object.keys(handlers)
  const toolCalls = names.map((name) => ({ name: `client_${name}`, arguments: name === "typed" ? { n: "1" } : {} }))
  await using folder = await Folder.make({
    "agent.yaml": JSON.stringify({ model: { provider: "script", script: "./steps.yaml" }, yolo: true }),
    "steps.yaml": JSON.stringify({ steps: [{ toolCalls }, { text: "Done." }] }),
    "tools.mjs": `export default [${names.map(definition).join()}]`
  })
  const flags = ["--tools", folder.path("tools.mjs"), "--json", "--prompt", "Hi"]
  // Once all but one have ended, Ctrl-C ends the turn that waits for the one that never does.
  let ended = 0
  const endAll = (client: ChildProcess) => {
    if (client.stdout === null) return
    createInterface({ input: client.stdout }).on("line", (line) => {
      const isEnd = /"status":"(?:completed|failed)"/.test(line)
      if (isEnd && ++ended === names.length - 1) client.kill("SIGINT")
    })
  }
  const command = Command.client(flags, Command.agent(folder.path("agent.yaml")))
  const { exitCode, stderr, stdout } = await Run.toEnd(command, { onStart: endAll })
  expect(exitCode).toBe(130)
  const updates = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).update)
  const titles = new Map(
    updates
      .filter((update) => update?.sessionUpdate === "tool_call")
      .map(({ title, toolCallId }) => [toolCallId, title.slice("client: ".length)])
  )
  const ends = updates.filter((update) => ["completed", "failed"].includes(update?.status))
  const read = Object.fromEntries(
    ends.map(({ content, toolCallId }) => [titles.get(toolCallId), content[0].content.text])
  )
  expect(ends).toHaveLength(names.length)
  for (const [name, [, reads]] of Object.entries(handlers)) {
    if (typeof reads === "string") expect(read[name], name).toBe(reads)
    else expect(read[name], name).toMatch(reads)
  }
  expect(stderr.split("\n").filter((line) => line === "loud")).toHaveLength(4)
  expect(stderr).toContain("an error was left behind by a tool: late\n")
})
