/** The command `/tools`, and what a session's tools are when those of several makers meet. */
import { Discovery } from "@acp-client-tools/protocol"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { type McpServer, McpServerFailed, type StartMcpServer } from "../src/reference/index.ts"
import * as Joined from "./Joined.ts"

/** Servers that exist in words only: by their names, the entries of their lists. */
const serving =
  (lists: Readonly<Record<string, ReadonlyArray<unknown>>>): StartMcpServer =>
  ({ name }) => {
    const entries = lists[name]
    if (entries === undefined) return Effect.fail(new McpServerFailed({ message: "it is not in the mood" }))
    const server: McpServer = {
      tools: () => Result.succeed(entries),
      call: (tool) => Effect.succeed({ kind: "result", result: `${name} did ${tool}` })
    }
    return Effect.succeed(server)
  }
const named = (...names: ReadonlyArray<string>) => names.map((name) => ({ name, command: "x", args: [], env: [] }))

const files: NonNullable<Joined.Options["files"]> = {
  read: () => Effect.succeed(""),
  list: () => Effect.succeed([])
}

const offering = (tools: unknown) => ({ _meta: { "org.mini-me/tools": tools } })

describe("/tools", () => {
  it.effect(
    "lists every tool as the model sees it, with its kind, and what was left out and why, without asking the model [OWN-4.a OWN-4.b OWN-4.c]",
    () =>
      Effect.gen(function* () {
        const joined = yield* Joined.make({
          files,
          capabilities: offering([
            { name: "open", method: "_t/open", description: "Opens.", inputSchema: { required: ["path"] } },
            { name: "bad" },
            { name: "search", method: "_t/search" }
          ]),
          mcpServers: named("files", "moody", "client"),
          startMcpServer: serving({
            files: [{ name: "find", description: "Finds.", inputSchema: { type: "object" } }, { name: "---" }],
            client: [{ name: "search" }]
          }),
          // A model that is asked for anything fails.
          steps: []
        })
        assert.deepStrictEqual(yield* joined.prompt("  /tools\n"), { stopReason: "end_turn" })
        const empty = '`{"type":"object","properties":{}}`'
        const [count, ...lines] = joined.said().split("\n")
        assert.strictEqual(count, "5 tools:")
        const own = lines.slice(0, 4)
        assert.match(own[0] ?? "", /^- `read_file` \(built-in\): Read a text file, .* Required parameters: path$/)
        assert.match(own[1] ?? "", /^ {2}`\{"type":"object","properties":\{"path":/)
        assert.match(own[2] ?? "", /^- `list_directory` \(built-in\): /)
        assert.deepStrictEqual(lines.slice(4), [
          "- `files_find` (MCP server files): Finds.",
          `  ${empty}`,
          "- `client_search` (MCP server client): Tool of the MCP server client.",
          `  ${empty}`,
          "- `client_open` (client): Opens. Required parameters: path",
          `  ${empty}`,
          "",
          "Left out:",
          "- MCP server files: entry 1 skipped: no name",
          "- MCP server moody: not started: it is not in the mood",
          '- client: entry 1 skipped: method "" must start with "_" (an ACP extension method)',
          '- client: entry 2 skipped: duplicate tool name "client_search"'
        ])
      }).pipe(Effect.scoped)
  )

  it.effect("says that there is nothing, and why the client's list could not be had [OWN-4.b]", () =>
    Effect.gen(function* () {
      const config = { acp: { clientTools: { discovery: "request" } } }
      const bare = yield* Joined.make({ config, capabilities: offering(true), steps: [] })
      yield* bare.prompt("/tools")
      assert.strictEqual(
        bare.said(),
        'There are no tools in this session.\n\nLeft out:\n- client: {"code":-32601,"message":"\\"Method not found\\": _org.mini-me/tools/list","data":{"method":"_org.mini-me/tools/list"}}'
      )
      const odd = yield* Joined.make({ capabilities: offering("many"), steps: [] })
      yield* odd.prompt("/tools")
      assert.match(odd.said(), /- client: "org\.mini-me\/tools" is not a list of tools$/)
      const none = yield* Joined.make({ steps: [] })
      yield* none.prompt("/tools")
      assert.strictEqual(none.said(), "There are no tools in this session.")
    }).pipe(Effect.scoped)
  )

  it.effect("is told again by a load, shown to no model, and is no title [OWN-4.c SESS-2.a]", () =>
    Effect.gen(function* () {
      const joined = yield* Joined.make({ steps: [{ text: "{{messages}}" }] })
      yield* joined.prompt("/tools")
      const { agent, sessionId, updates } = joined
      const before = updates.length
      yield* Effect.promise(() => agent.request("session/load", { sessionId, cwd: "/", mcpServers: [] }))
      const chunks = updates
        .slice(before)
        .flatMap((update) => ("content" in update && update.content !== null ? [update.sessionUpdate] : []))
      assert.deepStrictEqual(chunks, ["user_message_chunk", "agent_message_chunk"])
      assert.isFalse(updates.some(({ sessionUpdate }) => sessionUpdate === "session_info_update"))
      const told = joined.said().length
      yield* joined.prompt("Hello")
      assert.deepStrictEqual(JSON.parse(joined.said().slice(told)), [{ role: "user", text: "Hello" }])
    }).pipe(Effect.scoped)
  )

  it.effect("is the whole prompt or a prompt like any other", () =>
    Effect.gen(function* () {
      const joined = yield* Joined.make({ steps: [1, 2, 3].map((n) => ({ text: `${n}` })) })
      for (const text of ["/tools please", "What does /tools do?", "/tool"]) yield* joined.prompt(text)
      assert.strictEqual(joined.said(), "123")
    }).pipe(Effect.scoped)
  )
})

describe("where two tools have one name", () => {
  const clash = (discovery: "meta" | "request", list: unknown) =>
    Effect.gen(function* () {
      const tools = [{ name: "search", method: "_t/search" }, { name: "bad" }, { name: "open", method: "_t/open" }]
      const joined = yield* Joined.make({
        config: { acp: { clientTools: { discovery } } },
        capabilities: offering(list ?? tools),
        answers: { "_org.mini-me/tools/list": () => ({ tools }), "_t/open": () => "opened" },
        mcpServers: named("client"),
        startMcpServer: serving({ client: [{ name: "search" }] }),
        steps: [
          {
            toolCalls: [
              { id: "1", name: "client_search" },
              { id: "2", name: "client_open" }
            ]
          },
          { text: "Done." }
        ]
      })
      yield* joined.prompt("Call.")
      return joined
    })

  it.effect("the agent's own comes first, the client's is skipped as a duplicate with its line [LIST-5.a]", () =>
    Effect.gen(function* () {
      const meta = yield* clash("meta", undefined)
      assert.sameMembers(
        meta.ends().map(({ text }) => text),
        ["client did search", "opened"]
      )
      assert.deepStrictEqual(meta.log, [
        '[acp] client tools: entry 1 skipped: method "" must start with "_" (an ACP extension method)',
        "[acp] client tools (meta): client_open, client_search",
        '[acp] client tools: entry 0 skipped: duplicate tool name "client_search"'
      ])
      const request = yield* clash("request", true)
      assert.sameMembers(
        request.ends().map(({ text }) => text),
        ["client did search", "opened"]
      )
      assert.deepStrictEqual(request.log, [
        '[acp] client tools: entry 0 skipped: duplicate tool name "client_search"',
        '[acp] client tools: entry 1 skipped: method "" must start with "_" (an ACP extension method)',
        `[acp] session ${request.sessionId} client tools (request): client_open`
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("what a session's other tools are called changes nothing for the next session [META-1.a]", () =>
    Effect.gen(function* () {
      const meta = yield* clash("meta", undefined)
      const { agent } = meta
      const { sessionId } = yield* Effect.promise(() => agent.request("session/new", { cwd: "/", mcpServers: [] }))
      const said = meta.said().length
      yield* Effect.promise(() =>
        agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "/tools" }] })
      )
      assert.include(meta.said().slice(said), "`client_search` (client)")
    }).pipe(Effect.scoped)
  )
})

it("of a list without a clash nothing is decoded again for a session [LIST-7.a]", () => {
  const entries = [{ name: "a", method: "_a" }]
  const ofConnection = Discovery.fromAdvertisement({ kind: "list", entries })
  const { tools } = Discovery.forSession({ kind: "list", entries }, ofConnection, { reserved: ["b"] })
  assert.strictEqual(tools, ofConnection.tools)
})
