/**
 * An MCP server by hand, for what the real ones do not do. Its arguments are JSON: `tools`, pages of entries for `tools/list`;
 * `do`, what it does beside that. A call is answered with what it was asked, and `heard` with all it ever heard.
 */
import { spawn } from "node:child_process"
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"

interface Behaviour {
  readonly tools?: ReadonlyArray<ReadonlyArray<unknown>>
  readonly do?: ReadonlyArray<string>
}

const { do: does = [], tools = [[{ name: "echo" }]] } = JSON.parse(process.argv[2] ?? "{}") as Behaviour
const is = (what: string): boolean => does.includes(what)

let pages = tools
const heard: Array<unknown> = []
const write = (line: string): void => {
  writeSync(1, `${line}\n`)
}
const answer = (id: unknown, result: unknown) => write(JSON.stringify({ jsonrpc: "2.0", id, result }))

if (is("flood stderr")) {
  const line = "x".repeat(1_000)
  for (let n = 0; n < 5_000; n++) process.stderr.write(n % 100 === 0 ? line : `${line}\n`)
}
if (is("complain and exit")) {
  process.stderr.write("first\nthe port is taken\u001b[2J\n")
  process.exit(3)
}
if (is("garbage")) write("This is\u0000no JSON {")
if (is("ignore its end")) {
  process.on("SIGTERM", () => undefined)
  setInterval(() => undefined, 1_000)
}
if (is("leave a child")) {
  const child = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => 0); setInterval(() => 0, 1000)"], {
    stdio: "inherit"
  })
  heard.push(child.pid)
}

const call = (id: unknown, params: any): void => {
  switch (params.name) {
    case "heard":
      return answer(id, { content: [{ type: "text", text: JSON.stringify(heard) }] })
    case "never":
      return undefined
    case "die":
      process.stderr.write("out of memory\n")
      process.kill(process.pid, "SIGKILL")
      return undefined
    case "fail":
      return write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32602, message: "no", data: { at: "x" } } }))
    case "structured":
      return answer(id, { content: [], structuredContent: { a: 1 } })
    case "nonsense":
      return answer(id, { content: "no list", extra: 1 })
    case "grow":
      pages = [[...pages.flat(), { name: "grown" }]]
      write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }))
      return answer(id, { content: [{ type: "text", text: "grown" }] })
    default:
      return answer(id, { content: [{ type: "text", text: JSON.stringify(params) }] })
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  heard.push({ method, params })
  if (is("say nothing")) continue
  if (is("garbage")) write("more {noise")
  if (method === "initialize") {
    const protocolVersion = is("be old") ? "2024-11-05" : params.protocolVersion
    answer(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "fixture", version: "1" } })
  } else if (method === "tools/list") {
    const page = Number(params?.cursor ?? 0)
    if (is("list without end")) answer(id, { tools: [], nextCursor: String(page + 1) })
    else if (is("list nonsense")) answer(id, { tools: "many" })
    else answer(id, { tools: pages[page], ...(page + 1 < pages.length ? { nextCursor: String(page + 1) } : {}) })
  } else if (method === "tools/call") call(id, params)
}
