/** The promise entry on a client of plain functions. */
import { assert, describe, it } from "vitest"
import { clientTools } from "../src/promise/index.ts"

const request = { clientCapabilities: { _meta: { "org.mini-me/tools": [{ name: "a", method: "_t/a" }] } } }
const client = (answer: (signal: AbortSignal) => Promise<unknown>) => ({
  request: (_method: string, _params: unknown, { cancellationSignal }: { readonly cancellationSignal: AbortSignal }) =>
    answer(cancellationSignal),
  notify: () => Promise.resolve()
})
const settings = { yolo: true }
const session = { sessionId: "s", cwd: "/" }
const call = { toolCallId: "1", name: "client_a", arguments: {} }

describe("client tools with promises", () => {
  it("learns the tools and calls them", async () => {
    const tools = clientTools(request, { client: client(() => Promise.resolve("ran")), settings })
    assert.deepStrictEqual(tools.lines, ["[acp] client tools (meta): client_a"])
    assert.deepStrictEqual(tools.capabilityMeta, { "org.acp-client-tools/discovery": "meta" })
    const opened = await tools.openSession(session)
    assert.deepStrictEqual(
      opened.declarations.map(({ name }) => name),
      ["client_a"]
    )
    assert.deepStrictEqual(await opened.call(call), { text: "ran", failed: false })
  })

  it("rejects with the reason of an aborted signal, and the request's signal is aborted", async () => {
    const aborted = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const answer = (signal: AbortSignal) => {
      signal.addEventListener("abort", () => aborted.resolve())
      asked.resolve()
      return new Promise(() => undefined)
    }
    const opened = await clientTools(request, { client: client(answer), settings }).openSession(session)
    const stop = new AbortController()
    const ended = opened.call(call, { signal: stop.signal }).catch((cause: unknown) => cause)
    await asked.promise
    const reason = new Error("enough")
    stop.abort(reason)
    assert.strictEqual(await ended, reason)
    await aborted.promise
  })

  it("counts what a turn repeats with a loop detector of that turn [LOOP-2.a LOOP-2.c]", async () => {
    const limits = { loopDetector: { flagAfter: 2, stopAfter: 3 } }
    const answering = client(() => Promise.resolve("same"))
    const tools = clientTools(request, { client: answering, settings: { ...settings, ...limits } })
    const opened = await tools.openSession(session)
    const loop = opened.newLoopDetector()
    const again = async () => (await opened.call(call, { loop })).text
    assert.strictEqual(await again(), "same")
    assert.match(await again(), /^same\n\[client_a was called .* 2 times/)
    assert.isUndefined(loop.verdict())
    await again()
    assert.match(loop.verdict() ?? "", /^I stopped/)
    assert.strictEqual((await opened.call(call)).text, "same")
  })

  it("asks unless the session's grants say otherwise, which a reload takes over [PERM-1.a OWN-5.b]", async () => {
    const asked: Array<string> = []
    const asking = {
      ...client(() => Promise.resolve("ran")),
      request: (method: string) => {
        asked.push(method)
        return Promise.resolve(method === "_t/a" ? "ran" : undefined)
      }
    }
    const tools = clientTools(request, { client: asking })
    const opened = await tools.openSession(session)
    assert.deepStrictEqual(await opened.call(call), { text: "[client_a rejected by user]", failed: true })
    opened.grants.yolo = true
    const again = await tools.openSession({ ...session, grants: opened.grants })
    assert.deepStrictEqual(await again.call(call), { text: "ran", failed: false })
    assert.deepStrictEqual(asked, ["session/request_permission", "_t/a"])
  })

  it("rejects with an ordinary error when the connection is gone", async () => {
    const lost = client(() => Promise.reject(new Error("ACP connection closed")))
    const opened = await clientTools(request, { client: lost, settings }).openSession(session)
    const error = await opened.call(call).catch((cause: unknown) => cause)
    assert.strictEqual(Object.getPrototypeOf(error), Error.prototype)
    assert.include(String(error), "the connection to the client is closed")
  })

  it("throws a TypeError for settings that cannot be used", () => {
    const make = () => clientTools(request, { client: client(() => Promise.resolve()), settings: { timeout: "soon" } })
    assert.throws(make, TypeError, /timeout: "soon"/)
  })
})
