/** Tools offered on a client of anybody's: an app of the ACP SDK, with an agent of the SDK behind pipes. */
import {
  agent,
  client,
  type InitializeRequest,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type Stream
} from "@agentclientprotocol/sdk"
import { Effect, Result, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { ClientTool, RequestHandler, Toolkit, ToolOffer } from "../src/index.ts"
import { defineTool, offerTools } from "../src/promise/index.ts"

const LIST = "_org.mini-me/tools/list"

/** Two ends of a pair of pipes that carry bytes. */
const pipes = (): readonly [Stream, Stream] => {
  const there = new TransformStream<Uint8Array, Uint8Array>()
  const back = new TransformStream<Uint8Array, Uint8Array>()
  return [ndJsonStream(there.writable, back.readable), ndJsonStream(back.writable, there.readable)]
}

/** An agent that answers `initialize` and keeps what came with it. */
const listening = () => {
  let initialize: InitializeRequest | undefined
  const app = agent({ name: "agent" }).onRequest(methods.agent.initialize, ({ params }) => {
    initialize = params
    return { protocolVersion: 1 }
  })
  return { app, capabilities: () => initialize?.clientCapabilities }
}

const params = (sessionId: string, args: object = {}) => ({ ...args, _meta: { "org.mini-me/sessionId": sessionId } })

const codeOf = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    (value) => ({ answered: value }),
    (cause: { readonly code: number }) => cause.code
  )

const branch = defineTool({ name: "branch", method: "_t/branch", execute: () => "main" })

describe("one call offers tools on a client of the SDK", () => {
  it("in mode meta: the list is in initialize, beside what the client says itself [CLIENT-1.a META-1.a]", async () => {
    const { app, capabilities } = listening()
    const [here, there] = pipes()
    const toClient = app.connect(there).client
    const { agent: toAgent } = offerTools([branch])
      .addTo(client({ name: "editor" }))
      .connect(here)
    await toAgent.request("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { terminal: true, _meta: { mine: 1 } }
    })
    assert.deepInclude(capabilities(), {
      terminal: true,
      _meta: { mine: 1, "org.mini-me/tools": [{ name: "branch", method: "_t/branch" }] }
    })
    assert.strictEqual(await toClient.request("_t/branch", params("any")), "main")
  })

  it("in mode request: the client says true, and answers the list [CLIENT-1.a CLIENT-10.a REQ-1.a]", async () => {
    const { app, capabilities } = listening()
    const [here, there] = pipes()
    const toClient = app.connect(there).client
    await offerTools([branch], { discovery: "request" })
      .addTo(client({ name: "editor" }))
      .connectWith(here, async (toAgent) => {
        await toAgent.request("initialize", { protocolVersion: PROTOCOL_VERSION })
        assert.deepStrictEqual(capabilities()?._meta, { "org.mini-me/tools": true })
        assert.deepStrictEqual(await toClient.request(LIST, { sessionId: "s", cwd: "/" }), {
          tools: [{ name: "branch", method: "_t/branch" }]
        })
      })
  })

  it("to an agent in the same process as well", async () => {
    const { app, capabilities } = listening()
    const toolkit = Result.getOrThrow(Toolkit.decode([branch]))
    const connection = RequestHandler.offer(client({ name: "editor" }), ToolOffer.make(toolkit)).connect(app)
    await connection.agent.request("initialize", { protocolVersion: PROTOCOL_VERSION })
    assert.deepStrictEqual(capabilities()?._meta, { "org.mini-me/tools": toolkit.descriptions })
  })

  it("to an agent in the same process, which hears of the end, and is heard", async () => {
    const { app } = listening()
    const toolkit = Result.getOrThrow(Toolkit.decode([branch]))
    const ended = Promise.withResolvers<void>()
    app.onConnect(({ closed }) => void closed.then(ended.resolve))
    RequestHandler.offer(client({ name: "editor" }), ToolOffer.make(toolkit))
      .connect(app)
      .close()
    await ended.promise
  })

  it("once; an app that answers others by itself is told how", () => {
    const app = client({ name: "editor" }).onRequest("*", () => 1)
    assert.throws(() => offerTools([branch]).addTo(app), TypeError, /call handle of the offer from it/)
  })

  it("and says nothing where there are none", async () => {
    const { app, capabilities } = listening()
    await offerTools([])
      .addTo(client({ name: "editor" }))
      .connect(app)
      .agent.request("initialize", { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} })
    assert.isUndefined(capabilities()?._meta)
  })

  it("and what the client puts there itself stays", async () => {
    const { app, capabilities } = listening()
    const mine = { "org.mini-me/tools": [] }
    const connection = offerTools([branch])
      .addTo(client({ name: "editor" }))
      .connect(app)
    await connection.agent.request("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { _meta: mine }
    })
    assert.deepStrictEqual(capabilities()?._meta, mine)
  })
})

describe("tools that differ by session", () => {
  const handle = (offer: ToolOffer.ToolOffer, method: string, given: unknown, signal = new AbortController().signal) =>
    RequestHandler.handle(offer, { method, params: given, signal })

  /** Each session has the tool `cwd`, and one named after its folder. */
  const ofSession = ({ cwd, sessionId }: ToolOffer.Session) => {
    const name = cwd.slice(1)
    return Result.getOrThrow(
      Toolkit.decode([
        { name: "cwd", method: "_t/cwd", execute: () => cwd },
        { name, method: `_t/${name}`, execute: () => sessionId }
      ])
    )
  }

  it("are listed and called by session; another session's tool is unknown [CLIENT-5.b]", async () => {
    const offer = ToolOffer.perSession(ofSession)
    assert.deepStrictEqual(offer.capabilityMeta, { "org.mini-me/tools": true })
    for (const name of ["one", "two"]) {
      const { tools } = (await handle(offer, LIST, { sessionId: name, cwd: `/${name}` })) as { tools: Array<object> }
      assert.deepStrictEqual(
        tools.map((tool) => Reflect.get(tool, "name")),
        ["cwd", name]
      )
    }
    assert.strictEqual(await handle(offer, "_t/cwd", params("one")), "/one")
    assert.strictEqual(await handle(offer, "_t/cwd", params("two")), "/two")
    assert.strictEqual(await handle(offer, "_t/two", params("two")), "two")
    assert.strictEqual(await codeOf(handle(offer, "_t/two", params("one"))), -32601)
    assert.strictEqual(await codeOf(handle(offer, "_t/cwd", params("never asked"))), -32601)
    assert.strictEqual(await codeOf(handle(offer, "_t/cwd", {})), -32602)
  })

  it("are those that the session was last given, and none once it is over [CLIENT-5.b]", async () => {
    const offer = ToolOffer.perSession(ofSession)
    await handle(offer, LIST, { sessionId: "s", cwd: "/one" })
    await handle(offer, LIST, { sessionId: "s", cwd: "/two" })
    assert.strictEqual(await codeOf(handle(offer, "_t/one", params("s"))), -32601)
    assert.strictEqual(await handle(offer, "_t/two", params("s")), "s")
    offer.forget("s")
    assert.strictEqual(await codeOf(handle(offer, "_t/two", params("s"))), -32601)
  })

  it("may be made by a promise or an Effect; a call waits for them", async () => {
    const made = Promise.withResolvers<Toolkit.Toolkit>()
    for (const offer of [
      ToolOffer.perSession(() => made.promise),
      ToolOffer.perSession(() => Effect.promise(() => made.promise))
    ]) {
      const listed = handle(offer, LIST, { sessionId: "s", cwd: "/one" })
      const called = handle(offer, "_t/cwd", params("s"))
      made.resolve(ofSession({ sessionId: "s", cwd: "/one" }))
      assert.property(await listed, "tools")
      assert.strictEqual(await called, "/one")
    }
  })

  it("stay when they are asked for again and cannot be made, or that is withdrawn [CLIENT-5.b]", async () => {
    const late = Promise.withResolvers<Toolkit.Toolkit>()
    const asked = [
      () => ofSession({ sessionId: "s", cwd: "/one" }),
      () => Promise.reject(new Error('{"a":1}')),
      () => late.promise
    ]
    const offer = ToolOffer.perSession(() => asked.shift()?.() ?? Toolkit.empty)
    const list = (signal?: AbortSignal) => handle(offer, LIST, { sessionId: "s", cwd: "/one" }, signal)
    await list()
    assert.strictEqual(await codeOf(list()), -32603)
    const cancel = new AbortController()
    const listing = codeOf(list(cancel.signal))
    assert.strictEqual(await handle(offer, "_t/cwd", params("s")), "/one")
    cancel.abort()
    assert.strictEqual(await listing, -32800)
    assert.strictEqual(await handle(offer, "_t/cwd", params("s")), "/one")
    // Made after all, they replace nothing.
    late.resolve(ofSession({ sessionId: "s", cwd: "/two" }))
    await new Promise(setImmediate)
    assert.strictEqual(await handle(offer, "_t/cwd", params("s")), "/one")
    assert.strictEqual(await codeOf(handle(offer, "_t/unknown", {})), -32601)
  })

  it("that a call waits for in vain are unknown to it [CLIENT-5.b]", async () => {
    const made = Promise.withResolvers<Toolkit.Toolkit>()
    const offer = ToolOffer.perSession(() => made.promise)
    const listing = codeOf(handle(offer, LIST, { sessionId: "s", cwd: "/" }))
    const calling = codeOf(handle(offer, "_t/cwd", params("s")))
    made.reject(new Error('{"a":1}'))
    assert.deepStrictEqual([await listing, await calling], [-32603, -32601])
  })

  it("that cannot be made are an error the agent can log, and the session has none", async () => {
    const offer = ToolOffer.perSession(() => Effect.fromResult(Toolkit.decode([{ name: "a" }])))
    const cause = await handle(offer, LIST, { sessionId: "s", cwd: "/" }).catch((thrown: unknown) => thrown)
    assert.deepInclude(cause, { code: -32603 })
    assert.strictEqual(
      Reflect.get(cause as object, "message"),
      'the tools of this session cannot be listed: tool 1 ("a"): execute must be a function'
    )
    assert.strictEqual(await codeOf(handle(offer, "_org.acp-client-tools/a", params("s"))), -32601)
  })

  it("that never come can be cancelled, and the making is interrupted", async () => {
    const interrupted = Promise.withResolvers<void>()
    const offer = ToolOffer.perSession(() =>
      Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted.resolve()))
    )
    const cancel = new AbortController()
    const listed = codeOf(handle(offer, LIST, { sessionId: "s", cwd: "/" }, cancel.signal))
    const called = codeOf(handle(offer, "_t/a", params("s"), cancel.signal))
    await Promise.resolve()
    cancel.abort()
    assert.deepStrictEqual([await listed, await called], [-32800, -32800])
    await interrupted.promise
  })

  it("cannot be offered before there is a session", () => {
    assert.throws(() => offerTools(() => [], { discovery: "meta" }), TypeError, /need discovery "request"/)
    assert.deepStrictEqual(offerTools(() => []).capabilityMeta, { "org.mini-me/tools": true })
  })

  it("are an array at the promise entry", async () => {
    const offer = offerTools(async ({ cwd }) => [{ name: "cwd", execute: () => cwd }], { namespace: "com.example" })
    const request = { signal: new AbortController().signal }
    await offer.handle({ ...request, method: LIST, params: { sessionId: "s", cwd: "/here" } })
    assert.strictEqual(await offer.handle({ ...request, method: "_com.example/cwd", params: params("s") }), "/here")
  })
})

describe("the tools of an Effect program", () => {
  it("are called with what their schema decodes", async () => {
    const tool = ClientTool.make({
      name: "repeat",
      method: "_t/repeat",
      inputSchema: Schema.Struct({ text: Schema.String, times: Schema.Int }),
      execute: ({ text, times }) => Effect.succeed(text.repeat(times))
    })
    const { app } = listening()
    const [here, there] = pipes()
    const toClient = app.connect(there).client
    offerTools([tool])
      .addTo(client({ name: "editor" }))
      .connect(here)
    assert.strictEqual(await toClient.request("_t/repeat", params("s", { text: "ab", times: 2 })), "abab")
  })
})
