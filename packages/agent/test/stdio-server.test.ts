/** MCP servers of a session, as processes: two that are kept by the makers of MCP, and one that misbehaves. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { McpServer } from "@agentclientprotocol/sdk"
import { Json } from "@acp-client-tools/protocol"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { afterAll } from "vitest"
import { StdioServer } from "../src/mcp/index.ts"
import * as Joined from "./Joined.ts"

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "acp-mcp-")))
writeFileSync(join(cwd, "a.txt"), "the text")
afterAll(() => rmSync(cwd, { recursive: true }))

const kept = (name: string, ...args: ReadonlyArray<string>): McpServer => {
  const entry = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`))
  return { name, command: process.execPath, args: [entry, ...args], env: [] }
}
const fixture = (name: string, behaviour: object = {}): McpServer => ({
  name,
  command: process.execPath,
  args: [fileURLToPath(new URL("mcp-fixture.ts", import.meta.url)), JSON.stringify(behaviour)],
  env: []
})

const call = (name: string, args: object = {}, id = name) => ({ id, name, arguments: args })

const open = (mcpServers: Array<McpServer>, options: Omit<Joined.Options, "mcpServers">) =>
  Joined.make({ cwd, startMcpServer: StdioServer.start, ...options, mcpServers })

const until = (isSo: () => boolean) =>
  Effect.promise(async () => {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
  })

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("a server that is kept", () => {
  it.effect(
    "server-everything: its tools are told, called and read like a client's [OWN-1.c OWN-3.a OWN-3.b OWN-3.c]",
    () =>
      Effect.gen(function* () {
        const joined = yield* open([kept("everything")], {
          steps: [
            { text: "{{tools}}" },
            {
              toolCalls: [
                call("everything_echo", { message: "hi" }),
                call("everything_get_sum", { a: 1 }),
                call("everything_get_sum", { a: 1, b: "x" }, "2"),
                call("everything_get_tiny_image"),
                call("everything_get_structured_content", { location: "New York" })
              ]
            },
            { text: "Done." }
          ]
        })
        yield* joined.prompt("Which?")
        const tools = JSON.parse(joined.said()) as ReadonlyArray<any>
        const sum = tools.find(({ name }) => name === "everything_get_sum")
        assert.match(sum.description, /Required parameters: a, b$/)
        assert.hasAllKeys(sum.parameters, ["type", "properties"])
        const task = "it can only be called as an MCP task, which this agent does not do"
        assert.deepStrictEqual(joined.log, [
          `[acp] session ${joined.sessionId} MCP server everything: entry 12 skipped: ${task}`
        ])

        yield* joined.prompt("Call.")
        const ends = new Map<string, string>()
        for (const update of joined.updates) {
          if (update.sessionUpdate === "tool_call_update" && update.content != null) {
            ends.set(
              update.toolCallId,
              `${update.status} ${String(Json.get(Json.get(update.content[0], "content"), "text"))}`
            )
          }
        }
        assert.strictEqual(ends.get("everything_echo"), "completed Echo: hi")
        assert.strictEqual(ends.get("everything_get_sum"), "failed [client tool error: missing required parameters: b]")
        assert.match(ends.get("2") ?? "", /^failed \[client tool error: MCP error -32602: .*expected number/s)
        assert.match(
          ends.get("everything_get_tiny_image") ?? "",
          /^completed .*\[client tool: non-text content of type image skipped\]/s
        )
        assert.match(ends.get("everything_get_structured_content") ?? "", /^completed \{"temperature":/)
        const titles = joined.updates.flatMap((update) => (update.sessionUpdate === "tool_call" ? [update.title] : []))
        assert.include(titles, "everything: get-sum")
      }).pipe(Effect.scoped)
  )

  it.effect("server-filesystem: works in the folder it was given [OWN-3.a]", () =>
    Effect.gen(function* () {
      const joined = yield* open([kept("filesystem", cwd)], {
        config: { yolo: false },
        steps: [
          {
            toolCalls: [
              call("filesystem_read_text_file", { path: join(cwd, "a.txt") }),
              call("filesystem_read_text_file", { path: "/etc/passwd" }, "2")
            ]
          },
          { text: "Done." }
        ]
      })
      yield* joined.prompt("Read.")
      const texts = joined.ends().map(({ status, text }) => `${status} ${text}`)
      assert.include(texts, "completed the text")
      assert.isTrue(texts.some((text) => text.startsWith("failed [client tool error: Access denied")))
      assert.lengthOf(joined.permissions, 2)
    }).pipe(Effect.scoped)
  )
})

describe("names and schemas of a server's tools", () => {
  it.effect(
    "follow the rules of client tools; what cannot be used is left out, a line for each [OWN-3.b OWN-3.c LIST-5.a]",
    () =>
      Effect.gen(function* () {
        const deep = JSON.parse(`${'{"properties":{"a":'.repeat(300)}{}${"}}".repeat(300)}`)
        const list = [
          [
            { name: "Open file!", description: "Opens.", inputSchema: { type: "object", required: ["path"] } },
            { name: "Open--file" },
            { name: "日本" },
            { name: 7 },
            "nothing"
          ],
          [
            { name: "array", inputSchema: { type: "array" } },
            { name: "deep", inputSchema: deep },
            { name: "long", execution: { taskSupport: "required" } },
            { name: "last" }
          ]
        ]
        const joined = yield* open(
          [fixture("my server", { tools: list }), fixture("read", { tools: [[{ name: "file" }]] })],
          {
            files: { read: () => Effect.succeed(""), list: () => Effect.succeed([]) },
            steps: [{ text: "{{tools}}" }]
          }
        )
        yield* joined.prompt("Which?")
        const tools = JSON.parse(joined.said()) as ReadonlyArray<any>
        assert.deepStrictEqual(
          tools.map(({ name }) => name),
          ["read_file", "list_directory", "my_server_Open_file", "my_server_last"]
        )
        assert.deepStrictEqual(tools[2], {
          name: "my_server_Open_file",
          description: "Opens. Required parameters: path",
          parameters: { type: "object", properties: {} }
        })
        assert.strictEqual(tools[3].description, "Tool of the MCP server my server.")
        const of = (server: string, what: string) => `[acp] session ${joined.sessionId} MCP server ${server}: ${what}`
        assert.deepStrictEqual(joined.log, [
          of("my server", 'entry 1 skipped: duplicate tool name "my_server_Open_file"'),
          of("my server", "entry 2 skipped: no name"),
          of("my server", "entry 3 skipped: not a tool description: name must be a string, got number"),
          of("my server", "entry 4 skipped: not a tool description: must be a JSON object, got string"),
          of("my server", 'entry 5 skipped: inputSchema.type must be "object", got "array"'),
          of("my server", "entry 6 skipped: inputSchema is nested deeper than 256 levels"),
          of("my server", "entry 7 skipped: it can only be called as an MCP task, which this agent does not do"),
          of("read", 'entry 0 skipped: duplicate tool name "read_file"')
        ])
      }).pipe(Effect.scoped)
  )

  it.effect(
    "a thousand tools in a list of many pages are all there, and two servers of one name share it [OWN-3.b]",
    () =>
      Effect.gen(function* () {
        const page = (first: number) => Array.from({ length: 100 }, (_, n) => ({ name: `tool ${first + n}` }))
        const tools = Array.from({ length: 10 }, (_, n) => page(n * 100))
        const joined = yield* open(
          [fixture("many", { tools }), fixture("many", { tools: [[{ name: "tool 5" }, { name: "x" }]] })],
          {
            steps: [{ text: "{{tools}}" }, { toolCalls: [call("many_tool_999"), call("many_x")] }, { text: "Done." }]
          }
        )
        yield* joined.prompt("Which?")
        assert.lengthOf(JSON.parse(joined.said()), 1_001)
        assert.deepStrictEqual(joined.log, [
          `[acp] session ${joined.sessionId} MCP server many: entry 0 skipped: duplicate tool name "many_tool_5"`
        ])
        yield* joined.prompt("Call.")
        assert.sameDeepMembers(joined.ends(), [
          { status: "completed", text: '{"name":"tool 999","arguments":{}}' },
          { status: "completed", text: '{"name":"x","arguments":{}}' }
        ])
      }).pipe(Effect.scoped)
  )
})

describe("a call", () => {
  const tools = [["never", "heard", "fail", "structured", "nonsense", "grow", "die", "echo"].map((name) => ({ name }))]

  it.effect("that runs into its deadline, or whose turn is cancelled, is cancelled at the server [OWN-3.d]", () =>
    Effect.gen(function* () {
      const joined = yield* open([fixture("s", { tools })], {
        config: { acp: { clientTools: { timeout: "2s" } } },
        steps: [
          { toolCalls: [call("s_never", {}, "never")] },
          { toolCalls: [call("s_heard", {}, "1")] },
          { text: "Done." },
          { toolCalls: [call("s_never", {}, "again")] },
          { toolCalls: [call("s_heard", {}, "2")] },
          { text: "Done." }
        ]
      })
      yield* joined.prompt("Time out.")
      const cancelled = () => {
        const heard = JSON.parse(joined.ends().at(-1)?.text ?? "") as ReadonlyArray<any>
        return heard.filter(({ method }) => method === "notifications/cancelled").length
      }
      assert.match(joined.ends()[0]?.text ?? "", /no answer within 2s/)
      assert.strictEqual(cancelled(), 1)
      const turn = yield* Effect.forkChild(joined.prompt("Cancel."))
      yield* until(() => joined.updates.some((update) => "toolCallId" in update && update.toolCallId === "again"))
      yield* until(() =>
        joined.updates.some((u) => "toolCallId" in u && u.toolCallId === "again" && u.status === "in_progress")
      )
      yield* Effect.promise(() => joined.agent.notify("session/cancel", { sessionId: joined.sessionId }))
      assert.deepStrictEqual(yield* Fiber.join(turn), { stopReason: "cancelled" })
      yield* joined.prompt("And?")
      assert.strictEqual(cancelled(), 2)
    }).pipe(Effect.scoped)
  )

  it.effect("reads as the server answered: errors, structured content alone, what is no content list", () =>
    Effect.gen(function* () {
      const joined = yield* open([fixture("s", { tools, do: ["be old", "garbage"] })], {
        steps: [
          { toolCalls: [call("s_fail")] },
          { toolCalls: [call("s_structured")] },
          { toolCalls: [call("s_nonsense")] },
          { text: "Done." }
        ]
      })
      yield* joined.prompt("Call.")
      assert.deepStrictEqual(joined.ends(), [
        { status: "failed", text: '[client tool error: {"code":-32602,"message":"no","data":{"at":"x"}}]' },
        { status: "completed", text: '{"a":1}' },
        { status: "completed", text: '{"content":"no list","extra":1}' }
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("for which the server dies fails; its tools are gone with one line, and the session lives [OWN-3.e]", () =>
    Effect.gen(function* () {
      const joined = yield* open([fixture("s", { tools }), fixture("other")], {
        steps: [
          { toolCalls: [call("s_die"), call("s_never")] },
          { toolCalls: [call("s_echo"), call("other_echo")] },
          { text: "{{tools}}" }
        ]
      })
      yield* joined.prompt("Die.")
      assert.deepStrictEqual(
        joined.ends().map(({ text }) => text),
        [
          ...["", ""].map(() => '[client tool error: {"code":-32603,"message":"the MCP server s is gone"}]'),
          "[client tool error: unknown tool s_echo]",
          '{"name":"echo","arguments":{}}'
        ]
      )
      assert.deepStrictEqual(
        JSON.parse(joined.said()).map(({ name }: any) => name),
        ["other_echo"]
      )
      assert.deepStrictEqual(joined.log, [
        `[acp] session ${joined.sessionId} MCP server s: it was ended by SIGKILL; its tools are gone; its last words: out of memory`
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("to a tool that the server has added meanwhile works: the list is asked for again", () =>
    Effect.gen(function* () {
      const joined = yield* open([fixture("s", { tools })], {
        steps: [
          { toolCalls: [call("s_grow")] },
          { toolCalls: [call("s_heard")] },
          { toolCalls: [call("s_grown")] },
          { text: "Done." }
        ]
      })
      yield* joined.prompt("Grow.")
      assert.deepStrictEqual(joined.ends().at(-1), { status: "completed", text: '{"name":"grown","arguments":{}}' })
    }).pipe(Effect.scoped)
  )
})

describe("a server that does not start", () => {
  it.effect("is one line each, its tools are not there, and the session lives [OWN-3.e]", () =>
    Effect.gen(function* () {
      const joined = yield* open(
        [
          { name: "missing", command: "/no/such/command", args: [], env: [] },
          fixture("leaves", { do: ["complain and exit"] }),
          fixture("silent", { do: ["say nothing"] }),
          fixture("endless", { do: ["list without end"] }),
          fixture("odd", { do: ["list nonsense"] }),
          fixture("loud", { do: ["flood stderr"] }),
          { type: "http", name: "web", url: "http://127.0.0.1:9/mcp", headers: [] }
        ],
        { config: { acp: { clientTools: { timeout: "4s" } } }, steps: [{ text: "{{tools}}" }] }
      )
      yield* joined.prompt("Which?")
      assert.deepStrictEqual(
        JSON.parse(joined.said()).map(({ name }: any) => name),
        ["loud_echo"]
      )
      const of = (server: string, what: string) => `[acp] session ${joined.sessionId} MCP server ${server}: ${what}`
      assert.deepStrictEqual(joined.log, [
        of("missing", `not started: "/no/such/command": there is no such command, or no folder "${cwd}"`),
        of(
          "leaves",
          "not started: it exited with code 3 before it had listed its tools; its last words: the port is taken\u001b[2J"
        ),
        of("silent", "not started: no answer within 4s"),
        of("endless", "not started: its list of tools has more than 1000 pages"),
        of("odd", "not started: no tools array"),
        of("web", "not started: this agent speaks MCP over stdio, not over http")
      ])
    }).pipe(Effect.scoped)
  )
})

describe("the end of a server", () => {
  const pids = ({ ends }: { readonly ends: () => ReadonlyArray<{ readonly text: string }> }): ReadonlyArray<number> =>
    ends().flatMap(({ text }) => (JSON.parse(text) as ReadonlyArray<unknown>).filter((one) => typeof one === "number"))

  it.effect("comes with the session's, whatever it and what it started make of it [OWN-3.a]", () =>
    Effect.gen(function* () {
      const joined = yield* open(
        [fixture("s", { tools: [[{ name: "heard" }]], do: ["leave a child", "ignore its end"] })],
        { steps: [{ toolCalls: [call("s_heard")] }, { text: "Done." }] }
      )
      yield* joined.prompt("Who?")
      const [child = 0] = pids(joined)
      assert.isTrue(isAlive(child))
      yield* Effect.promise(() => joined.agent.request("session/close", { sessionId: joined.sessionId }))
      yield* until(() => !isAlive(child))
      assert.deepStrictEqual(joined.log, [])
    }).pipe(Effect.scoped)
  )

  it.effect("comes with a load or a resume, which start the session's servers anew [OWN-3.a]", () =>
    Effect.gen(function* () {
      const server = fixture("s", { tools: [[{ name: "heard" }]], do: ["leave a child"] })
      const joined = yield* open([server], {
        steps: [1, 2, 3].flatMap((n) => [{ toolCalls: [call("s_heard", {}, `${n}`)] }, { text: "Done." }])
      })
      const { agent, sessionId } = joined
      yield* joined.prompt("Who?")
      yield* Effect.promise(() => agent.request("session/load", { sessionId, cwd, mcpServers: [server] }))
      const before = joined.ends().length
      yield* joined.prompt("And who?")
      yield* Effect.promise(() => agent.request("session/resume", { sessionId, cwd, mcpServers: [] }))
      const [first = 0, second = 0] = [pids(joined)[0], pids(joined).at(-1)]
      assert.isAbove(joined.ends().length, before)
      assert.notStrictEqual(first, second)
      yield* until(() => !isAlive(first) && !isAlive(second))
    }).pipe(Effect.scoped)
  )
})
