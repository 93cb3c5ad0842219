/** Sessions of the agent alone: their ids, their files, who has them, and how an agent ends. */
import {
  appendFile,
  mkdir,
  readFile,
  rename,
  rmdir,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile
} from "node:fs/promises"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { expect, it } from "vitest"
import * as AgentHome from "../src/AgentHome.ts"
import * as Command from "../src/Command.ts"
import * as Folder from "../src/Folder.ts"
import * as Pair from "../src/Pair.ts"
import * as RawClient from "../src/RawClient.ts"
import * as Wire from "../src/Wire.ts"

const tools = { "org.mini-me/tools": [{ name: "a", method: "_t/a" }] }
const callsA = { toolCalls: [{ id: "c", name: "client_a", arguments: { n: 1 } }] }
const echo = { text: "{{messages}}" }
const yolo = { yolo: true }

const load = (sessionId: string) => ({ sessionId, cwd: "/", mcpServers: [] })
const said = (sessionUpdate: string, words: string) => ({ sessionUpdate, content: { type: "text", text: words } })
const user = (words: string) => ({ role: "user", text: words })
const assistant = (words: string) => ({ role: "assistant", text: words, toolCalls: [] })

const error = async (answer: Promise<{ readonly error?: unknown }>) => (await answer).error

/** A lock as this agent writes them, changed in some fields. */
const writeLock = async (home: AgentHome.AgentHome, agent: RawClient.RawClient, sessionId: string, changes: object) => {
  const own = await agent.newSession()
  const lock = JSON.parse(await readFile(home.path(`sessions/${own}.lock`), "utf8"))
  await writeFile(home.path(`sessions/${sessionId}.lock`), JSON.stringify({ ...lock, ...changes }))
}

it("a session's id tells when it was opened, and the agent ends with its client [SESS-1.b SESS-4.a CLIENT-8.a]", async () => {
  const { agentExit, wire } = await Pair.run({ script: [{ text: "done" }] })
  const opened = wire.find(({ line }) => line.includes('"sessionId"'))
  const id = /\d{8}-\d{6}-[0-9a-f]{8}/.exec(opened?.line ?? "")?.[0] ?? ""
  const opening = id.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-.*/, "$1-$2-$3T$4:$5:$6Z")
  expect(Math.abs(Date.now() - Date.parse(opening))).toBeLessThan(60_000)
  expect(agentExit).toBe("0")
})

it("a load tells the whole conversation again, a resume nothing, also after a restart of the agent [SESS-1.d SESS-2.a SESS-2.b SESS-2.c]", async () => {
  await using home = await AgentHome.make(
    [{ thought: "Hm.", text: "Let me see.", ...callsA }, { text: "It said {{toolResults}}." }, echo],
    yolo
  )
  const history = [
    said("user_message_chunk", "What is a?"),
    said("agent_thought_chunk", "Hm."),
    said("agent_message_chunk", "Let me see."),
    {
      sessionUpdate: "tool_call",
      toolCallId: "c",
      title: "client: a",
      kind: "other",
      status: "pending",
      rawInput: { n: 1 }
    },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: "ran" } }]
    },
    said("agent_message_chunk", "It said ran.")
  ]
  await using started = home.start({ answers: { "_t/a": () => "ran" } })
  await started.initialize(tools)
  const sessionId = await started.newSession()
  expect(await started.prompt(sessionId, "What is a?")).toBe("end_turn")
  expect(await started.end()).toBe(0)

  await using again = home.start()
  await again.initialize(tools)
  await again.result("session/load", load(sessionId))
  expect(again.updates(sessionId)).toEqual(history)
  await again.result("session/close", { sessionId })
  await again.result("session/resume", load(sessionId))
  expect(again.updates(sessionId)).toEqual(history)
  expect(await again.prompt(sessionId, "And?")).toBe("end_turn")
  expect(JSON.parse(RawClient.said(again.updates(sessionId).slice(history.length)))).toEqual([
    user("What is a?"),
    { role: "assistant", text: "Let me see.", toolCalls: [{ id: "c", name: "client_a", arguments: { n: 1 } }] },
    { role: "tool", results: [{ id: "c", name: "client_a", text: "ran", failed: false }] },
    assistant("It said ran."),
    user("And?")
  ])
})

it("prompts of every kind are told again block by block [SESS-2.a]", async () => {
  await using home = await AgentHome.make([{ text: "Thanks." }])
  await using agent = home.start()
  await agent.initialize()
  const sessionId = await agent.newSession()
  const prompt = [
    { type: "text", text: "Read these.", annotations: { audience: ["assistant"] } },
    { type: "resource_link", uri: "file:///a", name: "a", size: 3 },
    { type: "resource", resource: { uri: "file:///b", text: "bbb", mimeType: "text/plain" } },
    { type: "resource", resource: { uri: "file:///c", blob: "Y2Nj" } }
  ]
  await agent.result("session/prompt", { sessionId, prompt })
  const before = agent.updates(sessionId).length
  await agent.result("session/load", load(sessionId))
  expect(agent.updates(sessionId).slice(before)).toEqual([
    ...prompt.map((content) => ({ sessionUpdate: "user_message_chunk", content })),
    said("agent_message_chunk", "Thanks.")
  ])
})

it("after a crash each call has one result, what ended before is kept, and the next prompt works [TURN-3.f SESS-1.k SESS-2.c]", async () => {
  const calls = {
    toolCalls: [
      { id: "ended", name: "client_a", arguments: {} },
      { id: "running", name: "client_b", arguments: {} },
      { id: "asking", name: "client_c", arguments: {} }
    ]
  }
  await using home = await AgentHome.make([calls, echo])
  const three = ["a", "b", "c"].map((name) => ({ name, method: `_t/${name}` }))
  const allow = ({ toolCall }: Record<string, any>) => ({
    outcome: { outcome: "selected", optionId: toolCall["title"] === "client: c" ? "reject" : "allow" }
  })
  await using crashing = home.start({ answers: { "_t/a": () => "ran" } })
  await crashing.initialize({ "org.mini-me/tools": three })
  const sessionId = await crashing.newSession()
  void crashing.prompt(sessionId, "Go").catch(() => undefined)
  for (let asked = 0; asked < 3; asked++) {
    const { id, params } = await crashing.next(({ method }) => method === "session/request_permission")
    const { toolCall } = params as Record<string, any>
    // The third question stays open.
    if (toolCall["title"] !== "client: c") crashing.write({ id, result: allow({ toolCall }) })
  }
  await crashing.next(({ method }) => method === "_t/b")
  await crashing.first((message) => JSON.stringify(message).includes('"completed"'))
  crashing.kill("SIGKILL")
  await crashing.exited

  await using again = home.start()
  await again.initialize()
  await again.result("session/load", load(sessionId))
  const ends = again.updates(sessionId).filter(({ sessionUpdate }) => sessionUpdate === "tool_call_update")
  const cancelled = "[client tool error: cancelled]"
  const notStarted = "[client tool error: not started]"
  expect(ends.map((end) => [end["toolCallId"], end["status"], Wire.updateText(end)])).toEqual([
    ["ended", "completed", "ran"],
    ["running", "failed", cancelled],
    ["asking", "failed", notStarted]
  ])
  const replayed = again.updates(sessionId).length
  expect(await again.prompt(sessionId, "And?")).toBe("end_turn")
  const result = (id: string, name: string, read: string, failed: boolean) => ({ id, name, text: read, failed })
  expect(JSON.parse(RawClient.said(again.updates(sessionId).slice(replayed)))[2]).toEqual({
    role: "tool",
    results: [
      result("ended", "client_a", "ran", false),
      result("running", "client_b", cancelled, true),
      result("asking", "client_c", notStarted, true)
    ]
  })
})

it("a torn last line is dropped, and what follows is kept [SESS-2.d]", async () => {
  await using home = await AgentHome.make([{ text: "one" }, { text: "two" }, echo])
  await using first = home.start()
  await first.initialize()
  const sessionId = await first.newSession()
  await first.prompt(sessionId, "1")
  await first.prompt(sessionId, "2")
  await first.end()
  await truncate(home.sessionFile(sessionId), (await stat(home.sessionFile(sessionId))).size - 7)

  await using second = home.start()
  await second.initialize()
  await second.result("session/resume", load(sessionId))
  await second.prompt(sessionId, "3")
  expect(RawClient.said(second.updates(sessionId))).toBe("two")
  await second.prompt(sessionId, "4")
  const history = [user("1"), assistant("one"), user("2"), user("3"), assistant("two"), user("4")]
  expect(RawClient.said(second.updates(sessionId))).toBe(`two${JSON.stringify(history)}`)
  await second.end()
  await using third = home.start()
  await third.initialize()
  await third.result("session/load", load(sessionId))
  expect(RawClient.said(third.updates(sessionId))).toMatch(/^onetwo\[/)
})

it("an entry of a kind nobody knows is passed over, a file of a later format is refused", async () => {
  await using home = await AgentHome.make([{ text: "one" }, echo])
  await using agent = home.start()
  await agent.initialize()
  const sessionId = await agent.newSession()
  await agent.prompt(sessionId, "1")
  await agent.result("session/close", { sessionId })
  await appendFile(home.sessionFile(sessionId), '{"type":"dream","of":"sheep"}\n[1]\nnot JSON\n')
  await agent.result("session/resume", load(sessionId))
  await agent.prompt(sessionId, "2")
  expect(RawClient.said(agent.updates(sessionId))).toContain(JSON.stringify([user("1"), assistant("one"), user("2")]))
  await agent.result("session/close", { sessionId })
  const written = await home.readSession(sessionId)
  await writeFile(home.sessionFile(sessionId), written.replace('"version":1', '"version":2'))
  expect(await error(agent.request("session/load", load(sessionId)))).toEqual({
    code: -32603,
    message: `the session ${sessionId} was written by a newer agent, in format 2; this agent reads 1`
  })
  expect(await home.readSession(sessionId)).toContain('"version":2')
})

it("a session is named after its first prompt, in an update and in the list, which is newest first and by cwd [SESS-1.d]", async () => {
  await using home = await AgentHome.make([{ text: "Yes." }, { text: "Yes." }])
  await using agent = home.start()
  await agent.initialize()
  const older = await agent.newSession("/one")
  const silent = await agent.newSession("/one")
  await agent.prompt(older, "\n  Find\tthe  bug\nin this program")
  await agent.prompt(older, "Another")
  const titles = agent.updates(older).filter(({ sessionUpdate }) => sessionUpdate === "session_info_update")
  expect(titles).toEqual([
    { sessionUpdate: "session_info_update", title: "Find the bug", updatedAt: expect.any(String) }
  ])
  const listed = async (params: object) => (await agent.result("session/list", params))["sessions"]
  const info = { sessionId: older, cwd: "/one", title: "Find the bug", updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) }
  expect(await listed({ cwd: "/one" })).toEqual(
    expect.arrayContaining([info, { sessionId: silent, cwd: "/one", updatedAt: expect.any(String) }])
  )
  expect(await listed({ cwd: "/two" })).toEqual([])
  await agent.result("session/close", { sessionId: silent })
  // Nobody said anything in it.
  expect(await listed({})).toEqual([info])
  expect(await error(agent.request("session/list", { cwd: "one" }))).toMatchObject({ code: -32602 })
  expect(await error(agent.request("session/list", { cursor: "../x" }))).toMatchObject({ code: -32602 })
})

it("a prompt without words leaves the title to the next, and the session is listed all the same [SESS-1.d]", async () => {
  await using home = await AgentHome.make([{ text: "1" }, { text: "2" }, { text: "3" }])
  await using agent = home.start()
  await agent.initialize()
  const sessionId = await agent.newSession()
  const titles = async (words: string) => {
    await agent.prompt(sessionId, words)
    const { sessions } = await agent.result("session/list", {})
    return (sessions as ReadonlyArray<{ readonly title: string }>).map(({ title }) => title)
  }
  expect(await titles("  \n ")).toEqual(["(untitled)"])
  expect(await titles("x".repeat(100))).toEqual([`${"x".repeat(79)}…`])
  expect(await titles("another")).toEqual([`${"x".repeat(79)}…`])
})

it("a session that nobody ever said anything in is forgotten a day after, unless it is open [SESS-1.d]", async () => {
  await using home = await AgentHome.make([{ text: "Hi" }])
  await using agent = home.start()
  await agent.initialize()
  const [closed, open, prompted, young] = [
    await agent.newSession(),
    await agent.newSession(),
    await agent.newSession(),
    await agent.newSession()
  ]
  await agent.prompt(prompted)
  for (const sessionId of [closed, prompted, young]) await agent.result("session/close", { sessionId })
  const dayBefore = new Date(Date.now() - 25 * 3_600_000)
  for (const sessionId of [closed, open, prompted]) await utimes(home.sessionFile(sessionId), dayBefore, dayBefore)
  await agent.result("session/list", {})
  const kept = (await home.sessionFiles()).filter((name) => name.endsWith(".jsonl"))
  expect(new Set(kept)).toEqual(new Set([open, prompted, young].map((sessionId) => `${sessionId}.jsonl`)))
  expect(await error(agent.request("session/load", load(closed)))).toMatchObject({ code: -32002 })
})

it("a long list comes in pages [SESS-1.d]", async () => {
  await using home = await AgentHome.make([])
  await mkdir(home.path("sessions"))
  const ids = Array.from({ length: 250 }, (_, n) => `20200101-000000-${n.toString(16).padStart(8, "0")}`)
  for (const id of ids) {
    const lines = [
      { format: "acp-client-tools/session", version: 1, cwd: "/" },
      { type: "title", title: id }
    ]
    await writeFile(home.sessionFile(id), lines.map((line) => JSON.stringify(line)).join("\n"))
  }
  await using agent = home.start()
  await agent.initialize()
  const listed: Array<unknown> = []
  const sizes: Array<number> = []
  for (let cursor: unknown; sizes.length === 0 || cursor !== undefined;) {
    const { nextCursor, sessions } = await agent.result("session/list", cursor === undefined ? {} : { cursor })
    const page = sessions as ReadonlyArray<{ readonly sessionId: string }>
    sizes.push(page.length)
    listed.push(...page.map(({ sessionId }) => sessionId))
    cursor = nextCursor
  }
  expect(sizes).toEqual([100, 100, 50])
  expect(listed).toEqual(ids.toReversed())
})

it("a session that is open in another process is refused until it is closed there; one whose owner died is taken over [SESS-1.j SESS-1.k]", async () => {
  await using home = await AgentHome.make([{ text: "Hi" }])
  await using owner = home.start()
  await using other = home.start()
  await owner.initialize()
  await other.initialize()
  const sessionId = await owner.newSession()
  const refusal = {
    code: -32600,
    message: `the session ${sessionId} is open in another process (${owner.pid}); close it there first`
  }
  expect(await error(other.request("session/load", load(sessionId)))).toEqual(refusal)
  expect(await error(other.request("session/resume", load(sessionId)))).toEqual(refusal)
  expect(await error(other.request("session/delete", { sessionId }))).toEqual(refusal)
  await owner.result("session/close", { sessionId })
  await other.result("session/load", load(sessionId))
  await other.result("session/close", { sessionId })
  await owner.result("session/resume", load(sessionId))
  owner.kill("SIGKILL")
  await owner.exited
  await other.result("session/load", load(sessionId))
})

it("of two processes that want one session at once, one gets it, a hundred times [SESS-1.j SESS-1.k]", async () => {
  await using home = await AgentHome.make([])
  await mkdir(home.path("sessions"))
  const pair = [home.start(), home.start()] as const
  await Promise.all(pair.map((agent) => agent.initialize()))
  const dead = spawn(process.execPath, ["-e", ""])
  await once(dead, "exit")
  for (let race = 0; race < 100; race++) {
    const sessionId = `20200101-000000-${race.toString(16).padStart(8, "0")}`
    await writeFile(home.sessionFile(sessionId), '{"format":"acp-client-tools/session","version":1,"cwd":"/"}\n')
    // Every other race is for the lock of an owner that died.
    if (race % 2 === 1) await writeLock(home, pair[0], sessionId, { pid: dead.pid })
    const answers = await Promise.all(pair.map((agent) => agent.request("session/load", load(sessionId))))
    const codes = answers.map((answer) => (answer["error"] as { readonly code?: number } | undefined)?.code)
    expect(codes).toEqual(expect.arrayContaining([-32600, undefined]))
  }
  await Promise.all(pair.map((agent) => agent.end()))
  expect((await home.sessionFiles()).filter((name) => !name.endsWith(".jsonl"))).toEqual([])
})

it("a process id that was given out again is no owner, one on another machine may be [SESS-1.j SESS-1.k]", async () => {
  await using home = await AgentHome.make([])
  await using agent = home.start()
  await agent.initialize()
  const sessionId = await agent.newSession()
  await agent.result("session/close", { sessionId })
  // This process lives, and is not the one that started when the lock says.
  await writeLock(home, agent, sessionId, { pid: process.pid, started: "long ago" })
  await agent.result("session/load", load(sessionId))
  await agent.result("session/close", { sessionId })
  await writeLock(home, agent, sessionId, { host: "elsewhere", boot: "another" })
  const refused = await error(agent.request("session/load", load(sessionId)))
  expect(refused).toMatchObject({
    code: -32600,
    message: expect.stringContaining("open on another machine, elsewhere")
  })
  // This machine, before it was started anew.
  await writeLock(home, agent, sessionId, { boot: "another" })
  await agent.result("session/load", load(sessionId))
  await agent.result("session/close", { sessionId })
  // What is no lock of ours names no owner.
  await writeFile(home.path(`sessions/${sessionId}.lock`), "garbage")
  await agent.result("session/load", load(sessionId))
})

it("a malformed id is unknown, and names no file [SESS-1.e SESS-1.f SESS-1.g]", async () => {
  await using home = await AgentHome.make([])
  await using agent = home.start()
  await agent.initialize()
  await agent.newSession()
  await writeFile(home.path("victim.jsonl"), "precious")
  for (const sessionId of ["../victim", "", "..", "20200101-000000-0000000A", "x".repeat(5_000), "a\u0000b"]) {
    for (const method of ["session/load", "session/resume", "session/close"]) {
      const refused = await error(agent.request(method, load(sessionId)))
      expect(refused).toEqual({ code: -32002, message: expect.any(String), data: { sessionId } })
    }
    expect(await agent.result("session/delete", { sessionId })).toEqual({})
  }
  expect(await readFile(home.path("victim.jsonl"), "utf8")).toBe("precious")
})

it("a deleted session is gone from the disk, an open one is closed first [SESS-1.f SESS-1.i]", async () => {
  await using home = await AgentHome.make([{ text: "Well", wait: true }])
  await using agent = home.start()
  await agent.initialize()
  const sessionId = await agent.newSession()
  const turn = agent.prompt(sessionId)
  await agent.first(({ method, params }) => method === "session/update" && JSON.stringify(params).includes("Well"))
  expect(await agent.result("session/delete", { sessionId })).toEqual({})
  expect(await turn).toBe("cancelled")
  expect(await home.sessionFiles()).toEqual([])
  expect(await error(agent.request("session/prompt", { sessionId, prompt: [] }))).toMatchObject({ code: -32002 })
  expect(await agent.result("session/delete", { sessionId })).toEqual({})
})

it("a session whose opening was cancelled leaves no trace, one that was being loaded can be loaded again [REQ-5.b REQ-5.c]", async () => {
  await using home = await AgentHome.make([], { acp: { clientTools: { discovery: "request" } } })
  await using agent = home.start()
  await agent.initialize({ "org.mini-me/tools": true })
  const isList = ({ method }: { readonly method?: unknown }) => method === "_org.mini-me/tools/list"
  agent.write({ id: "new", method: "session/new", params: { cwd: "/", mcpServers: [] } })
  await agent.next(isList)
  expect(await home.sessionFiles()).toHaveLength(2)
  agent.write({ method: "$/cancel_request", params: { requestId: "new" } })
  expect((await agent.next(({ id }) => id === "new"))["error"]).toMatchObject({ code: -32800 })
  expect(await home.sessionFiles()).toEqual([])

  const opening = agent.newSession()
  const list = await agent.next(isList)
  agent.write({ id: list["id"], result: { tools: [] } })
  const sessionId = await opening
  await agent.result("session/close", { sessionId })
  agent.write({ id: "load", method: "session/load", params: load(sessionId) })
  await agent.next(isList)
  // A close ends a load as well.
  expect(await agent.result("session/close", { sessionId })).toEqual({})
  expect((await agent.next(({ id }) => id === "load"))["error"]).toMatchObject({ code: -32800 })
  const loading = agent.result("session/load", load(sessionId))
  const { id } = await agent.next(isList)
  agent.write({ id, result: { tools: [] } })
  await loading
})

it("sessions are kept in sessions.directory, readable for their owner only, else in the user's state directory [CFG-1.k]", async () => {
  await using home = await AgentHome.make([], { sessions: { directory: "./here/and/there" } })
  await using agent = home.start()
  await agent.initialize()
  const kept = home.path(`here/and/there/${await agent.newSession()}.jsonl`)
  expect((await stat(kept)).mode & 0o777).toBe(0o600)
  expect((await stat(home.path("here/and/there"))).mode & 0o777).toBe(0o700)
  await agent.end()
  await using byDefault = await AgentHome.make([], { sessions: {} })
  await using other = byDefault.start({ env: { XDG_STATE_HOME: byDefault.path("state") } })
  await other.initialize()
  await stat(byDefault.path(`state/acp-client-tools/sessions/${await other.newSession()}.jsonl`))
})

it("a directory that cannot be written is one clear error, and the connection lives", async () => {
  await using home = await AgentHome.make([{ text: "Hi" }, { text: "Ho" }, echo])
  await writeFile(home.path("sessions"), "a file")
  await using agent = home.start()
  await agent.initialize()
  expect(await error(agent.request("session/new", { cwd: "/", mcpServers: [] }))).toEqual({
    code: -32603,
    message: expect.stringMatching(
      /^sessions cannot be kept in .*\/sessions\/.*: a part of the path is not a folder; sessions.directory in the agent file can/
    )
  })
  expect(await error(agent.request("session/list", {}))).toMatchObject({ code: -32603 })
})

it("what cannot be written ends the turn with an error and is written when it can be [SESS-2.a TURN-4.g]", async () => {
  await using home = await AgentHome.make([{ text: "Hi" }, { text: "Ho" }])
  await using agent = home.start()
  await agent.initialize()
  const sessionId = await agent.newSession()
  const kept = home.path("kept")
  await rename(home.sessionFile(sessionId), kept)
  await mkdir(home.sessionFile(sessionId))
  const prompt = [{ type: "text", text: "1" }]
  const refused = await error(agent.request("session/prompt", { sessionId, prompt }))
  expect(refused).toMatchObject({ code: -32603, message: expect.stringContaining("sessions cannot be kept in") })
  await rmdir(home.sessionFile(sessionId))
  await rename(kept, home.sessionFile(sessionId))
  expect(await agent.prompt(sessionId, "2")).toBe("end_turn")
  const before = agent.updates(sessionId).length
  await agent.result("session/close", { sessionId })
  await agent.result("session/load", load(sessionId))
  expect(agent.updates(sessionId).slice(before)).toEqual([
    said("user_message_chunk", "1"),
    said("user_message_chunk", "2"),
    said("agent_message_chunk", "Hi")
  ])
})

it("a file that may not grow further keeps whole lines, each once, and is continued when it may [TURN-3.f SESS-2.c]", async () => {
  const calls = {
    toolCalls: Array.from({ length: 40 }, () => ({ name: "client_a", arguments: { text: "x".repeat(90) } }))
  }
  await using home = await AgentHome.make([calls, { text: "done" }, echo], yolo)
  const { args, command } = home.command
  // 16 blocks of 512 or of 1,024 bytes. The signal that comes with the limit is not for us.
  const limited = ["-c", 'trap "" XFSZ; ulimit -f 16; exec "$0" "$@"', command, ...args]
  await using full = RawClient.start(
    { command: "/bin/sh", args: limited },
    { answers: { "_t/a": () => "y".repeat(90) } }
  )
  await full.initialize(tools)
  const sessionId = await full.newSession()
  const failed = await error(full.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Go" }] }))
  expect(failed).toMatchObject({ code: -32603, message: expect.stringContaining("the file would become too large") })
  await full.end()
  const lines = (await home.readSession(sessionId)).trimEnd().split("\n")
  expect(lines.length).toBeGreaterThan(10)
  expect(new Set(lines.map((line) => JSON.stringify(JSON.parse(line)))).size).toBe(lines.length)

  await using agent = home.start()
  await agent.initialize(tools)
  await agent.result("session/load", load(sessionId))
  const ends = agent.updates(sessionId).filter(({ sessionUpdate }) => sessionUpdate === "tool_call_update")
  expect(ends).toHaveLength(40)
})

it("a session that cannot even be begun is one clear error, and leaves nothing behind", async () => {
  await using home = await AgentHome.make([])
  const { args, command } = home.command
  const full = ["-c", 'trap "" XFSZ; ulimit -f 0; exec "$0" "$@"', command, ...args]
  await using agent = RawClient.start({ command: "/bin/sh", args: full })
  await agent.initialize()
  const failed = await error(agent.request("session/new", { cwd: "/", mcpServers: [] }))
  expect(failed).toMatchObject({ code: -32603, message: expect.stringContaining("the file would become too large") })
  expect(await home.sessionFiles()).toEqual([])
})

it("requests for one session in one write are begun in their order [REQ-8.c SESS-1.i SESS-3.b]", async () => {
  await using home = await AgentHome.make([{ text: "Hi" }, { text: "Well", wait: true }], {
    acp: { clientTools: { discovery: "request" } }
  })
  await using agent = home.start({ answers: { "_org.mini-me/tools/list": () => ({ tools: [] }) } })
  await agent.initialize({ "org.mini-me/tools": true })
  const sessionId = await agent.newSession()
  const request = (method: string, id: string) => ({
    id,
    method,
    params: { ...load(sessionId), prompt: [{ type: "text", text: "Hello" }] }
  })
  const codes = async (...requests: ReadonlyArray<ReturnType<typeof request>>) => {
    agent.write(...requests)
    const answers = await Promise.all(requests.map(({ id }) => agent.first((message) => message["id"] === id)))
    return answers.map((answer) => (answer["error"] as { readonly code: number } | undefined)?.code)
  }
  expect(await codes(request("session/load", "1"), request("session/prompt", "2"))).toEqual([undefined, -32600])
  expect(await codes(request("session/close", "3"), request("session/resume", "4"))).toEqual([undefined, undefined])
  expect(await agent.prompt(sessionId)).toBe("end_turn")
  expect(await codes(request("session/prompt", "7"), request("session/close", "8"))).toEqual([undefined, undefined])
  const order = agent.received.map(({ id }) => id).filter((id) => id === "7" || id === "8")
  expect(order).toEqual(["7", "8"])
  await agent.result("session/load", load(sessionId))
  expect(await codes(request("session/delete", "9"), request("session/load", "10"))).toEqual([undefined, -32002])
  expect(await home.sessionFiles()).toEqual([])
})

it("what stands in the place of a file or a lock and is none is one clear error, and the agent goes on [SESS-1.e]", async () => {
  await using home = await AgentHome.make([])
  await using agent = home.start()
  await agent.initialize()
  await agent.newSession()
  const id = (n: number) => `20200101-000000-0000000${n}`
  await mkdir(home.sessionFile(id(1)))
  await symlink("/dev/zero", home.sessionFile(id(2)))
  await symlink(home.path("nowhere"), home.path(`sessions/${id(3)}.lock`))
  await writeFile(home.sessionFile(id(3)), "")
  const pipe = spawn("mkfifo", [home.sessionFile(id(4))])
  await once(pipe, "exit")
  for (const n of [1, 2, 3, 4]) {
    const refused = await error(agent.request("session/load", load(id(n))))
    expect(refused).toMatchObject({ code: -32603, message: expect.stringContaining(id(n)) })
  }
  expect((await agent.result("session/list", {}))["sessions"]).toHaveLength(1)
})

it("a directory the system makes none in is one clear error [SESS-1.d]", async () => {
  await using home = await AgentHome.make([], { sessions: { directory: "/proc/nothing/here" } })
  await using agent = home.start()
  await agent.initialize()
  const refused = await error(agent.request("session/new", { cwd: "/", mcpServers: [] }))
  expect(refused).toMatchObject({ code: -32603, message: expect.stringContaining("/proc/nothing/here") })
})

it("what is nested too deeply to be told again is passed over in a file, and refused in a prompt [SESS-2.a]", async () => {
  await using home = await AgentHome.make([{ text: "one" }])
  await using agent = home.start()
  await agent.initialize()
  const sessionId = await agent.newSession()
  await agent.prompt(sessionId)
  const deep = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`)
  const blocks = (levels: number) => [{ type: "text", text: "deep", _meta: { deep: deep(levels) } }]
  expect(await error(agent.request("session/prompt", { sessionId, prompt: blocks(3_000) }))).toMatchObject({
    code: -32602,
    message: "the prompt is nested deeper than 1000 levels"
  })
  await agent.result("session/close", { sessionId })
  const call = `{"toolCallId":"x","name":"a","title":"a","kind":"other","rawInput":${"[".repeat(5_000)}${"]".repeat(5_000)}}`
  await appendFile(home.sessionFile(sessionId), `{"type":"answer","parts":[],"toolCalls":[${call}]}\n`)
  const before = agent.updates(sessionId).length
  await agent.result("session/load", load(sessionId))
  expect(agent.updates(sessionId).slice(before)).toEqual([
    said("user_message_chunk", "Hello"),
    said("agent_message_chunk", "one")
  ])
})

it.concurrent.each(["", '{"jsonrpc":"2.0","id":99,"method":"session/li'])(
  "the end of the input, behind %j, ends an agent whose answers nobody takes [SESS-4.a]",
  async (last) => {
    await using home = await AgentHome.make([])
    await using agent = home.start()
    await agent.initialize()
    const sessionId = await agent.newSession()
    await agent.result("session/close", { sessionId })
    // The first block is read, and more follows than any pipe takes.
    const blocks = ["read", "x".repeat(5_000_000)].map((words) => ({ type: "text", text: words }))
    const lines = [
      { format: "acp-client-tools/session", version: 1, cwd: "/" },
      { type: "prompt", content: blocks }
    ]
    await writeFile(home.sessionFile(sessionId), `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`)
    agent.pauseAfter(({ method }) => method === "session/update")
    agent.write({ id: "load", method: "session/load", params: load(sessionId) })
    await agent.first(({ method }) => method === "session/update")
    agent.writeText(last)
    expect(await agent.end()).toBe(0)
    expect(await home.sessionFiles()).toEqual([`${sessionId}.jsonl`])
  }
)

it("the end of the input is obeyed in the midst of thousands of requests that came with it [SESS-4.a]", async () => {
  await using home = await AgentHome.make([])
  await using agent = home.start()
  await agent.initialize()
  const requests = Array.from({ length: 20_000 }, (_, n) => ({
    id: `${n}`,
    method: "session/new",
    params: { cwd: "/", mcpServers: [] }
  }))
  agent.write(...requests)
  expect(await agent.end()).toBe(0)
  const files = await home.sessionFiles()
  expect(files.length).toBeLessThan(20_000)
  expect(files.filter((name) => name.endsWith(".lock"))).toEqual([])
})

it("an agent that is told to end twice ends once, and leaves no lock [SESS-4.b]", async () => {
  await using home = await AgentHome.make([{ text: "x".repeat(300_000), wait: true }])
  await using agent = home.start()
  await agent.initialize()
  const sessionId = await agent.newSession()
  void agent.prompt(sessionId).catch(() => undefined)
  await agent.first(({ method }) => method === "session/update")
  agent.kill("SIGTERM")
  const again = setInterval(() => agent.kill("SIGTERM"), 1)
  expect(await agent.exited).toBe(0)
  clearInterval(again)
  expect(await home.sessionFiles()).toEqual([`${sessionId}.jsonl`])
})

it("a reader that goes away ends the agent quietly [SESS-4.c]", async () => {
  await using folder = await Folder.make({
    "agent.yaml": "model: {provider: script, script: ./steps.yaml}",
    "steps.yaml": JSON.stringify({ steps: [] })
  })
  const { args, command } = Command.agent(folder.path("agent.yaml"))
  const agent = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] })
  const complaints: Array<string> = []
  createInterface({ input: agent.stderr }).on("line", (line) => complaints.push(line))
  const exited = once(agent, "close")
  const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } }
  const answered = once(agent.stdout, "data")
  agent.stdin.write(`${JSON.stringify(initialize)}\n`)
  await answered
  agent.stdout.destroy()
  agent.stdin.write(`${JSON.stringify({ ...initialize, id: 1 })}\n`)
  expect(await exited).toEqual([0, null])
  expect(complaints).toEqual([])
})

it("what the agent was writing when it is told to end arrives whole [SESS-4.c LOG-5.c]", async () => {
  await using folder = await Folder.make({
    "agent.yaml": "model: {provider: script, script: ./steps.yaml}",
    "steps.yaml": JSON.stringify({ steps: [{ text: "x".repeat(300_000), wait: true }] })
  })
  const { args, command } = Command.agent(folder.path("agent.yaml"))
  const agent = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] })
  const complaints = text(agent.stderr)
  const exited = once(agent, "close")
  let written = ""
  const send = (message: object) => agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  agent.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const isFirstOfText = !written.includes("xxx") && chunk.includes("xxx")
    written += chunk
    // The rest of the long line is still on its way.
    if (isFirstOfText) agent.kill("SIGTERM")
    if (/"id":0,.*\n$/.test(chunk)) send({ id: 1, method: "session/new", params: { cwd: "/", mcpServers: [] } })
    const sessionId = /"id":1,.*"sessionId":"([^"]+)"/.exec(chunk)?.[1]
    const prompt = [{ type: "text", text: "Hi" }]
    if (sessionId !== undefined) send({ id: 2, method: "session/prompt", params: { sessionId, prompt } })
  })
  send({ id: 0, method: "initialize", params: { protocolVersion: 1 } })
  expect(await exited).toEqual([0, null])
  expect(await complaints).toBe("")
  expect(written.endsWith("\n")).toBe(true)
  const messages = written
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(
    messages.find(({ params }) => params?.update?.sessionUpdate === "agent_message_chunk").params.update.content.text
  ).toHaveLength(300_000)
})
