/** Sessions of the reference client: opened, prompted, changed and closed, with an agent written by hand. */

import { assert, describe, it } from "vitest"
import { connect, type ConnectOptions, type TurnEvent, type Update } from "../src/promise/index.ts"
import * as FakeAgent from "./fake-agent.ts"

const everything = {
  loadSession: true,
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} }
}

const connected = async (agentCapabilities: object = everything, options: ConnectOptions = {}) => {
  const agent = FakeAgent.make()
  const connecting = connect(agent.stream, options)
  await agent.answer({ result: { protocolVersion: 1, agentCapabilities } })
  return { agent, connection: await connecting }
}

const update = (sessionId: string, fields: object) => ({
  method: "session/update",
  params: { sessionId, update: fields }
})
const chunk = (sessionId: string, text: string) =>
  update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } })
const textOf = ({ update: told }: Pick<Update, "update">): string =>
  told.sessionUpdate === "agent_message_chunk" && told.content.type === "text" ? told.content.text : told.sessionUpdate

const failed = (work: Promise<unknown>): Promise<string> => work.then(String, String)

describe("a session", () => {
  it("is opened in a folder, with all that its place says", async () => {
    const { agent, connection } = await connected()
    const place = { cwd: "/a", additionalDirectories: ["/b"] }
    const opening = connection.newSession(place)
    const configOptions = [{ id: "yolo" }]
    const { method, params } = await agent.answer({ result: { sessionId: "s", configOptions } })
    assert.deepStrictEqual({ method, params }, { method: "session/new", params: { ...place, mcpServers: [] } })
    const { opened, sessionId } = await opening
    assert.strictEqual(sessionId, "s")
    assert.deepStrictEqual<unknown>(opened.configOptions, configOptions)
  })

  it("is loaded: its history was delivered before that settles", async () => {
    const heard: Array<string> = []
    const { agent, connection } = await connected(everything, {
      onUpdate: async (told) => {
        await new Promise(setImmediate)
        heard.push(textOf(told))
      }
    })
    const loading = connection.loadSession("s", "/a")
    const { method, params } = await agent.answer({ result: null }, chunk("s", "one"), chunk("s", "two"))
    assert.deepStrictEqual(
      { method, params },
      { method: "session/load", params: { sessionId: "s", cwd: "/a", mcpServers: [] } }
    )
    const session = await loading
    assert.deepStrictEqual(heard, ["one", "two"])
    const prompting = session.prompt("Hello")
    assert.strictEqual((await agent.answer({ result: { stopReason: "end_turn" } })).params.sessionId, "s")
    assert.strictEqual(await prompting, "end_turn")
  })

  it("is resumed, and has its config options changed", async () => {
    const { agent, connection } = await connected()
    const resuming = connection.resumeSession("s", "/a")
    assert.strictEqual((await agent.answer({ result: {} })).method, "session/resume")
    const session = await resuming
    const changing = session.setConfigOption("yolo", true)
    const configOptions = [{ id: "yolo", type: "boolean", currentValue: true }]
    assert.deepStrictEqual((await agent.answer({ result: { configOptions } })).params, {
      sessionId: "s",
      configId: "yolo",
      type: "boolean",
      value: true
    })
    assert.deepStrictEqual(await changing, configOptions as never)
    const choosing = failed(session.setConfigOption("model", "big"))
    assert.deepStrictEqual((await agent.answer({ result: {} })).params, {
      sessionId: "s",
      configId: "model",
      value: "big"
    })
    assert.strictEqual(await choosing, "Error: the agent's answer to session/set_config_option has no configOptions")
  })

  it("is closed: its questions end, and its tools are forgotten", async () => {
    const asked = Promise.withResolvers<AbortSignal>()
    const { agent, connection } = await connected(everything, {
      tools: () => [{ name: "a", method: "_a", execute: () => 1 }],
      permission: (_, signal) => {
        asked.resolve(signal)
        return new Promise(() => undefined)
      }
    })
    const opening = connection.newSession("/")
    const { id } = await agent.next()
    await agent.send({ id: 1, method: "_org.mini-me/tools/list", params: { sessionId: "s", cwd: "/" } })
    await agent.next()
    await agent.send({ id, result: { sessionId: "s" } })
    const session = await opening
    const toolCall = { toolCallId: "1" }
    await agent.send({ id: 2, method: "session/request_permission", params: { sessionId: "s", toolCall, options: [] } })
    await asked.promise
    const closing = session.close()
    const messages = [await agent.next(), await agent.next()]
    assert.sameMembers(
      messages.map(({ method, result }) => method ?? result.outcome.outcome),
      ["session/close", "cancelled"]
    )
    await agent.send({ id: messages.find(({ method }) => method === "session/close").id, result: {} })
    await closing
    await agent.send({ id: 3, method: "_a", params: { _meta: { "org.mini-me/sessionId": "s" } } })
    assert.strictEqual((await agent.next()).error.code, -32601)
  })

  it("is closed for this client alone where the agent cannot: a turn is cancelled all the same", async () => {
    const { agent, connection } = await connected({})
    const opening = connection.newSession("/")
    await agent.answer({ result: { sessionId: "s" } })
    await (await opening).close()
    assert.deepInclude(await agent.next(), { method: "session/cancel", params: { sessionId: "s" } })
  })

  it("is not asked for what the agent does not offer: one sentence, and the connection lives", async () => {
    const { agent, connection } = await connected({ sessionCapabilities: { list: null } })
    const refused = await Promise.all(
      [
        connection.loadSession("s", "/"),
        connection.resumeSession("s", "/"),
        connection.listSessions(),
        connection.deleteSession("s")
      ].map(failed)
    )
    assert.deepStrictEqual(
      refused,
      ["load", "resume", "list", "delete"].map((what) => `Error: the agent does not offer session/${what}`)
    )
    const opening = connection.newSession("/")
    await agent.answer({ result: { sessionId: "s" } })
    await opening
  })
})

describe("files and commands", () => {
  const read = (id: number, sessionId: string) => ({
    id,
    method: "fs/read_text_file",
    params: { sessionId, path: "/a/b" }
  })

  it("are served to the sessions that are open, in their folders, also when asked for right behind the answer", async () => {
    const ended: Array<string | undefined> = []
    const { agent, connection } = await connected(everything, {
      fs: { readTextFile: ({ path }, { additionalDirectories, cwd }) => [path, cwd, ...additionalDirectories].join() },
      terminal: {
        create: () => ({ terminalId: "t" }),
        output: () => ({ output: "", truncated: false }),
        waitForExit: () => ({ exitCode: 0 }),
        kill: () => undefined,
        release: () => undefined,
        end: (sessionId) => ended.push(sessionId)
      }
    })
    const opening = connection.newSession({ cwd: "/a", additionalDirectories: ["/b"] })
    const { id } = await agent.next()
    await agent.send({ id, result: { sessionId: "s" } }, read(1, "s"), read(2, "nobody"))
    const session = await opening
    const answers = [await agent.next(), await agent.next()]
    assert.sameDeepMembers(
      answers.map(({ error, id: answered, result }) => [answered, error?.code ?? result.content]),
      [
        [2, -32602],
        [1, "/a/b,/a,/b"]
      ]
    )
    const closing = session.close()
    await agent.answer({ result: {} })
    await closing
    await agent.send(read(3, "s"))
    assert.strictEqual((await agent.next()).error.code, -32602)
    assert.deepStrictEqual(ended, ["s"])
    // What others run with the same functions is not this connection's to end.
    await connection.close()
    assert.deepStrictEqual(ended, ["s"])
  })

  it("are announced exactly as far as they are there, and served while a session is loaded", async () => {
    const agent = FakeAgent.make()
    const connecting = connect(agent.stream, { fs: { readTextFile: () => "text" } })
    const initialize = await agent.answer({ result: { protocolVersion: 1, agentCapabilities: everything } })
    assert.deepInclude(initialize.params.clientCapabilities, {
      fs: { readTextFile: true, writeTextFile: false },
      terminal: false
    })
    const connection = await connecting
    const loading = failed(connection.loadSession("s", "/a"))
    const { id } = await agent.next()
    await agent.send(read(1, "s"))
    assert.deepInclude(await agent.next(), { id: 1, result: { content: "text" } })
    await agent.send({ id, error: { code: -32002, message: "no such session" } })
    assert.match(await loading, /no such session/)
    await agent.send(read(2, "s"))
    assert.strictEqual((await agent.next()).error.code, -32602)
  })
})

describe("what an agent does while a session is opened", () => {
  it("is served in the place of the session, also before its id is known", async () => {
    const { agent, connection } = await connected(everything, { fs: { readTextFile: (_, { cwd }) => cwd } })
    const opening = connection.newSession("/a")
    const { id } = await agent.next()
    const params = { sessionId: "new", path: "/a/AGENTS.md" }
    await agent.send({ id: 1, method: "fs/read_text_file", params })
    assert.deepInclude(await agent.next(), { id: 1, result: { content: "/a" } })
    await agent.send({ id, result: { sessionId: "new" } })
    await opening
    await agent.send({ id: 2, method: "fs/read_text_file", params: { ...params, sessionId: "other" } })
    assert.strictEqual((await agent.next()).error.code, -32602)
  })

  it("is undone when the opening fails", async () => {
    const ended: Array<string> = []
    const { agent, connection } = await connected(everything, {
      tools: () => [{ name: "a", method: "_a", execute: () => 1 }],
      terminal: {
        create: () => ({ terminalId: "t" }),
        output: () => ({ output: "", truncated: false }),
        waitForExit: () => ({ exitCode: 0 }),
        kill: () => undefined,
        release: () => undefined,
        end: (sessionId) => ended.push(sessionId)
      }
    })
    const loading = failed(connection.loadSession("s", "/a"))
    const { id } = await agent.next()
    await agent.send({ id: 1, method: "_org.mini-me/tools/list", params: { sessionId: "s", cwd: "/a" } })
    await agent.next()
    await agent.send({ id: 2, method: "terminal/create", params: { sessionId: "s", command: "x" } })
    await agent.next()
    await agent.send({ id, error: { code: -32002, message: "gone" } })
    assert.match(await loading, /gone/)
    assert.deepStrictEqual(ended, ["s"])
    await agent.send({ id: 3, method: "_a", params: { _meta: { "org.mini-me/sessionId": "s" } } })
    assert.strictEqual((await agent.next()).error.code, -32601)
  })
})

describe("the sessions of an agent", () => {
  it("are listed, every page of them; entries that are none are left out", async () => {
    const { agent, connection } = await connected()
    const listing = connection.listSessions({ cwd: "/" })
    const one = { sessionId: "1", cwd: "/", title: "One" }
    const first = await agent.answer({ result: { sessions: [one, 7, { sessionId: 1 }], nextCursor: "c" } })
    const second = await agent.answer({ result: { sessions: [{ sessionId: "2", cwd: "/" }], nextCursor: null } })
    assert.deepStrictEqual([first.params, second.params], [{ cwd: "/" }, { cwd: "/", cursor: "c" }])
    assert.deepStrictEqual(await listing, [one, { sessionId: "2", cwd: "/" }])
  })

  it("are listed to an end, also by an agent that goes round in a circle", async () => {
    const { agent, connection } = await connected()
    const listing = connection.listSessions()
    for (const nextCursor of ["a", "b", "a"]) await agent.answer({ result: { sessions: [], nextCursor } })
    assert.deepStrictEqual(await listing, [])
  })

  it("are listed to an end, also when every page names another and one is very long", async () => {
    const { agent, connection } = await connected()
    const listing = failed(connection.listSessions())
    const sessions = Array.from({ length: 200_000 }, (_, n) => ({ sessionId: `${n}`, cwd: "/" }))
    await agent.answer({ result: { sessions, nextCursor: "-1" } })
    for (let page = 1; page < 1_000; page++) await agent.answer({ result: { sessions: [], nextCursor: `${page}` } })
    assert.match(await listing, /more than 1000 pages; ask for those of one cwd$/)
  })

  it("that come as no list are one error", async () => {
    const { agent, connection } = await connected()
    const listing = failed(connection.listSessions())
    await agent.answer({ result: null })
    assert.strictEqual(await listing, "Error: the agent's answer to session/list has no sessions")
  })

  it("are deleted", async () => {
    const { agent, connection } = await connected()
    const deleting = connection.deleteSession("s")
    assert.deepInclude(await agent.answer({ result: {} }), { method: "session/delete", params: { sessionId: "s" } })
    await deleting
  })
})

describe("a turn as a stream", () => {
  const opened = async (options: ConnectOptions = {}) => {
    const { agent, connection } = await connected({}, options)
    const opening = connection.newSession("/")
    await agent.answer({ result: { sessionId: "s" } })
    return { agent, session: await opening }
  }

  it("has the session's updates, complete and in order, and then the stop reason [CLIENT-7.a CLIENT-7.b]", async () => {
    const { agent, session } = await opened()
    const numbers = Array.from({ length: 200 }, (_, n) => `${n}`)
    const told: Array<string> = []
    const reading = (async () => {
      for await (const event of session.stream("Hello")) {
        // A reader slower than the agent.
        await new Promise(setImmediate)
        told.push(event.type === "update" ? textOf(event) : event.stopReason)
      }
    })()
    await agent.answer(
      { result: { stopReason: "end_turn" } },
      chunk("another", "not mine"),
      ...numbers.map((text) => chunk("s", text)),
      update("s", { sessionUpdate: "of_the_future" })
    )
    await reading
    assert.deepStrictEqual(told, [...numbers, "of_the_future", "end_turn"])
  })

  it("that is left early cancels the turn", async () => {
    const { agent, session } = await opened()
    const reading = (async () => {
      for await (const event of session.stream("Hello")) if (event.type === "update") break
    })()
    const { id } = await agent.next()
    await agent.send(chunk("s", "enough"))
    assert.sameDeepMembers(
      [await agent.next(), await agent.next()].map(({ method, params }) => ({ method, params })),
      [
        { method: "$/cancel_request", params: { requestId: id } },
        { method: "session/cancel", params: { sessionId: "s" } }
      ]
    )
    await reading
  })

  it("that fails gives its updates first, and then an ordinary error with the agent's code", async () => {
    const { agent, session } = await opened()
    const told: Array<TurnEvent> = []
    const reading = (async () => {
      for await (const event of session.stream("Hello")) told.push(event)
    })().catch((cause: unknown) => cause)
    await agent.answer({ error: { code: -32603, message: "no" } }, chunk("s", "half"))
    const cause = await reading
    assert.instanceOf(cause, Error)
    assert.propertyVal(cause, "code", -32603)
    assert.lengthOf(told, 1)
  })

  it("is given up by a signal, with its reason", async () => {
    const { agent, session } = await opened()
    const stop = new AbortController()
    const reading = (async () => {
      for await (const event of session.stream("Hello", { signal: stop.signal })) {
        if (event.type === "update") stop.abort(new Error("enough"))
      }
    })().catch(String)
    await agent.next()
    await agent.send(chunk("s", "one"))
    assert.strictEqual(await reading, "Error: enough")
    const sent = [await agent.next(), await agent.next()].map(({ method }) => method)
    assert.sameMembers(sent, ["$/cancel_request", "session/cancel"])
  })

  it("may be of blocks", async () => {
    const { agent, session } = await opened()
    const prompt = [
      { type: "text" as const, text: "See" },
      { type: "resource_link" as const, uri: "file:///a", name: "a" }
    ]
    const ended = session.prompt(prompt)
    assert.deepStrictEqual((await agent.answer({ result: { stopReason: "end_turn" } })).params.prompt, prompt)
    await ended
  })
})

describe("a connection", () => {
  it("logs in, and makes any other request", async () => {
    const { agent, connection } = await connected()
    const loggingIn = connection.authenticate("key")
    assert.deepInclude(await agent.answer({ result: {} }), { method: "authenticate", params: { methodId: "key" } })
    await loggingIn
    const asked = connection.request("_x/y", { a: 1 })
    assert.deepInclude(await agent.answer({ result: [1] }), { method: "_x/y", params: { a: 1 } })
    assert.deepStrictEqual(await asked, [1])
  })

  it("is refused by a rejection, also for tools that cannot be offered", async () => {
    const { stream } = FakeAgent.make()
    assert.match(await failed(connect(stream, { tools: [{ name: "a" } as never] })), /execute must be a function/)
    assert.match(await failed(connect(stream, { tools: {} as never })), /tools must be an array of definitions/)
    assert.match(await failed(connect(stream, { discovery: "both" as never })), /discovery must be "meta" or "request"/)
  })

  it("ends what its agent runs when the agent is gone, and is disposed of", async () => {
    const ended = Promise.withResolvers<string>()
    const agent = FakeAgent.make()
    const connecting = connect(agent.stream, {
      terminal: {
        create: () => ({ terminalId: "t" }),
        output: () => ({ output: "", truncated: false }),
        waitForExit: () => ({ exitCode: 0 }),
        kill: () => undefined,
        release: () => undefined,
        end: ended.resolve
      }
    })
    await agent.answer({ result: { protocolVersion: 1 } })
    await using connection = await connecting
    const opening = connection.newSession("/")
    await agent.answer({ result: { sessionId: "s" } })
    await opening
    await agent.send({ id: 1, method: "terminal/create", params: { sessionId: "s", command: "x" } })
    await agent.next()
    await agent.die()
    assert.strictEqual(await ended.promise, "s")
  })

  it("says when and why it is over", async () => {
    const { agent, connection } = await connected()
    await agent.die()
    assert.strictEqual(await connection.closed, "the connection to the agent ended")
  })
})
