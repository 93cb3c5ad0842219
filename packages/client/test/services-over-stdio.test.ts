/** An agent as a process that reads a file, writes one and runs a command, all through its client. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it, onTestFinished } from "vitest"
import { LocalFiles, LocalTerminals } from "../src/node/index.ts"
import { startAgent } from "../src/promise/index.ts"

/** On a prompt it does one after the other and tells the answers in an update. */
const worker = `
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
  const waiting = new Map()
  let last = 100
  const ask = (method, params) => new Promise((resolve) => {
    send({ id: ++last, method, params: { sessionId: "s", ...params } })
    waiting.set(last, resolve)
  })
  const work = async (cwd) => {
    const { content } = await ask("fs/read_text_file", { path: cwd + "/in.txt", line: 2, limit: 1 })
    await ask("fs/write_text_file", { path: cwd + "/deep/out.txt", content: content.toUpperCase() })
    const outside = await ask("fs/read_text_file", { path: "/etc/passwd" })
    const args = ["-e", "console.log(process.cwd()); setInterval(() => {}, 1000)"]
    const { terminalId } = await ask("terminal/create", { command: process.execPath, args })
    let output = ""
    while (!output.includes("\\n")) output = (await ask("terminal/output", { terminalId })).output
    await ask("terminal/kill", { terminalId })
    const { signal } = await ask("terminal/wait_for_exit", { terminalId })
    return JSON.stringify({ outside: outside.code, output: output.trim(), signal })
  }
  require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
    const { error, id, method, params, result } = JSON.parse(line)
    if (method === "initialize") send({ id, result: { protocolVersion: 1 } })
    if (method === "session/new") { globalThis.cwd = params.cwd; send({ id, result: { sessionId: "s" } }) }
    if (method === undefined) waiting.get(id)(error ?? result)
    if (method !== "session/prompt") return
    const content = { type: "text", text: await work(globalThis.cwd) }
    send({ method: "session/update", params: { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content } } })
    send({ id, result: { stopReason: "end_turn" } })
  })
`

it("works in its session's folder, and nowhere else", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "acp-client-tools-"))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  writeFileSync(join(cwd, "in.txt"), "one\ntwo\nthree\n")
  let told = ""
  const agent = await startAgent(process.execPath, ["-e", worker], {
    fs: LocalFiles.make(),
    terminal: LocalTerminals.make(),
    onUpdate: ({ update }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") told += update.content.text
    }
  })
  const session = await agent.newSession(cwd)
  assert.strictEqual(await session.prompt("Work"), "end_turn")
  assert.deepStrictEqual(JSON.parse(told), { outside: -32602, output: cwd, signal: "SIGTERM" })
  assert.strictEqual(readFileSync(join(cwd, "deep/out.txt"), "utf8"), "TWO\n")
  await agent.close()
})
