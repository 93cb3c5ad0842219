/** What a client serves beside tools, asked over the wire by an agent written by hand. */
import { assert, describe, it } from "@effect/vitest"
import { client } from "@agentclientprotocol/sdk"
import { Effect } from "effect"
import { ClientServices, type Terminals } from "../src/reference/index.ts"
import * as FakeAgent from "./fake-agent.ts"

const folders = { cwd: "/project", additionalDirectories: ["/more"] }
const params = { sessionId: "s", path: "/project/a" }

/** An agent that asks a client with these services, which has the session `s`. */
const asking = (services: ClientServices.Services) => {
  const agent = FakeAgent.make()
  const served = ClientServices.make(services, (sessionId) => (sessionId === "s" ? folders : undefined))
  served.addTo(client({ name: "test" })).connect(agent.stream)
  let id = 0
  const ask = async (method: string, asked: object = params) => {
    id++
    await agent.send({ id, method, params: asked })
    const { jsonrpc: _, ...answer } = await agent.next()
    assert.strictEqual(answer.id, id)
    return "error" in answer ? { error: answer.error } : { result: answer.result }
  }
  return { agent, ask }
}

const reading = (readTextFile: (...args: ReadonlyArray<any>) => any) => asking({ fs: { readTextFile } })
const throwing = (cause: unknown) =>
  reading(() => {
    throw cause
  }).ask("fs/read_text_file")

const terminals: Terminals = {
  create: ({ command }) => ({ terminalId: command }),
  output: () => ({ output: "out", truncated: false }),
  waitForExit: () => ({ exitCode: 0, signal: null }),
  kill: () => undefined,
  release: () => undefined,
  end: () => undefined
}

const internal = (details: string) => ({ error: { code: -32603, message: "Internal error", data: { details } } })

describe("the capabilities of a client", () => {
  const capabilities = (services: ClientServices.Services) => ClientServices.make(services, () => folders).capabilities

  it("are true exactly for what is there", () => {
    assert.deepStrictEqual(capabilities({}), { fs: { readTextFile: false, writeTextFile: false }, terminal: false })
    assert.deepStrictEqual(capabilities({ fs: { readTextFile: () => "" } }), {
      fs: { readTextFile: true, writeTextFile: false },
      terminal: false
    })
    assert.deepStrictEqual(capabilities({ fs: { writeTextFile: () => undefined }, terminal: terminals }), {
      fs: { readTextFile: false, writeTextFile: true },
      terminal: true
    })
  })
})

describe("a method that nothing serves", () => {
  it("is not found", async () => {
    const { ask } = asking({ fs: { readTextFile: () => "" } })
    for (const method of ["fs/write_text_file", "terminal/create", "terminal/output", "terminal/kill"]) {
      const { error } = await ask(method, { ...params, content: "", command: "ls", terminalId: "1" })
      assert.strictEqual(error.code, -32601, method)
    }
    const { error } = await asking({ fs: { writeTextFile: () => undefined } }).ask("fs/read_text_file")
    assert.strictEqual(error.code, -32601)
  })
})

describe("a function that serves", () => {
  it("is given the request and its session's folders", async () => {
    const { ask } = reading((request, { signal, ...context }) => {
      assert.isFalse(signal.aborted)
      return JSON.stringify({ request, context })
    })
    const { result } = await ask("fs/read_text_file", { ...params, line: 2, limit: 3 })
    assert.deepStrictEqual(JSON.parse(result.content), {
      request: { ...params, line: 2, limit: 3 },
      context: { sessionId: "s", ...folders }
    })
  })

  it("may give a value, a promise or an Effect", async () => {
    for (const given of ["text", Promise.resolve("text"), Effect.succeed("text").pipe(Effect.delay(0))]) {
      assert.deepStrictEqual(await reading(() => given).ask("fs/read_text_file"), { result: { content: "text" } })
    }
  })

  it("may come from a class", async () => {
    class Files {
      text = "mine"
      readTextFile() {
        return this.text
      }
    }
    assert.deepStrictEqual(await asking({ fs: new Files() }).ask("fs/read_text_file"), { result: { content: "mine" } })
  })

  it("has the terminal methods answered as ACP has them", async () => {
    const { ask } = asking({ terminal: terminals })
    const terminal = { sessionId: "s", terminalId: "ls" }
    assert.deepStrictEqual(await ask("terminal/create", { sessionId: "s", command: "ls" }), {
      result: { terminalId: "ls" }
    })
    assert.deepStrictEqual(await ask("terminal/output", terminal), { result: { output: "out", truncated: false } })
    assert.deepStrictEqual(await ask("terminal/wait_for_exit", terminal), { result: { exitCode: 0, signal: null } })
    assert.deepStrictEqual(await ask("terminal/kill", terminal), { result: {} })
    assert.deepStrictEqual(await ask("terminal/release", terminal), { result: {} })
  })

  it("is not looked at for what it gives where ACP wants nothing", async () => {
    const { ask } = asking({ fs: { writeTextFile: () => 1n } })
    assert.deepStrictEqual(await ask("fs/write_text_file", { ...params, content: "" }), { result: {} })
  })

  it("is not called for a session the client does not know", async () => {
    const { ask } = reading(() => assert.fail("called"))
    assert.deepStrictEqual(await ask("fs/read_text_file", { ...params, sessionId: "other" }), {
      error: { code: -32602, message: "there is no session other" }
    })
  })

  it("is not called for params that ACP does not allow", async () => {
    const { ask } = reading(() => assert.fail("called"))
    for (const asked of [{}, { ...params, line: -1 }, { ...params, limit: "1" }]) {
      assert.strictEqual((await ask("fs/read_text_file", asked)).error.code, -32602)
    }
  })
})

describe("a function that fails", () => {
  it("is one internal error with readable details", async () => {
    assert.deepStrictEqual(await throwing(new Error("no disk")), internal("no disk"))
    assert.deepStrictEqual(await throwing("no disk"), internal("no disk"))
    assert.deepStrictEqual(await throwing(undefined), internal("no reason given"))
    assert.deepStrictEqual(await throwing(Object.assign(new Error("no disk"), { code: "EIO" })), internal("no disk"))
    assert.deepStrictEqual(
      await reading(() => Effect.fail("no effect")).ask("fs/read_text_file"),
      internal("no effect")
    )
  })

  it("is not read as JSON", async () => {
    for (const message of ['{"a":1}', "42", "null"]) {
      assert.deepStrictEqual(await throwing(new Error(message)), internal(message))
    }
  })

  it("may choose the error with a numeric code", async () => {
    const chosen = { code: -32002, message: "gone", data: { path: "/project/a" } }
    assert.deepStrictEqual(await throwing(chosen), { error: chosen })
    // A command that failed has its exit code under the same name.
    assert.deepInclude((await throwing(Object.assign(new Error("gone"), { code: 7 }))).error, {
      code: -32603,
      data: { details: "gone" }
    })
  })

  it("has no code from an error that only inherits one", async () => {
    assert.deepStrictEqual(await throwing(new DOMException("late", "TimeoutError")), internal("late"))
  })

  it("cannot break the connection with data that JSON cannot write", async () => {
    assert.deepStrictEqual(await throwing({ code: 7, message: "gone", data: 1n }), internal("gone"))
  })
})

describe("a function that gives what is no answer", () => {
  it("is an internal error that says so", async () => {
    const details = (type: string, method: string) =>
      internal(`the client has a fault: a value of type ${type} is no answer to ${method}`)
    assert.deepStrictEqual(await reading(() => 5).ask("fs/read_text_file"), details("number", "fs/read_text_file"))
    const broken = { ...terminals, create: () => ({}), output: () => ({ output: "" }), waitForExit: () => null }
    const { ask } = asking({ terminal: broken as never })
    const terminal = { sessionId: "s", terminalId: "1", command: "ls" }
    for (const [method, type] of [
      ["terminal/create", "object"],
      ["terminal/output", "object"],
      ["terminal/wait_for_exit", "null"]
    ] as const) {
      assert.deepStrictEqual(await ask(method, terminal), details(type, method))
    }
  })

  it("cannot break the connection with what JSON cannot write", async () => {
    const { ask } = asking({ terminal: { ...terminals, waitForExit: () => ({ exitCode: 1n }) as never } })
    const { error } = await ask("terminal/wait_for_exit", { sessionId: "s", terminalId: "1" })
    assert.strictEqual(error.code, -32603)
  })

  it("cannot break the connection with more than a message holds", async () => {
    // Six bytes each, as JSON.
    const text = "\u0001".repeat(6 * 1024 * 1024)
    assert.deepStrictEqual(
      await reading(() => text).ask("fs/read_text_file"),
      internal("the answer takes more than 32505856 bytes; ask for a smaller part")
    )
  })
})

describe("a request that is withdrawn", () => {
  const withdrawn = { code: -32800, message: "Request cancelled" }

  it("is answered at once, and only once, whatever the function does", async () => {
    const asked = Promise.withResolvers<AbortSignal>()
    const late = Promise.withResolvers<string>()
    const { agent, ask } = reading((_, { signal }) => {
      asked.resolve(signal)
      return late.promise
    })
    await agent.send({ id: 7, method: "fs/read_text_file", params })
    const signal = await asked.promise
    await agent.send({ method: "$/cancel_request", params: { requestId: 7 } })
    assert.deepStrictEqual(await agent.next(), { jsonrpc: "2.0", id: 7, error: withdrawn })
    assert.isTrue(signal.aborted)
    late.resolve("late")
    // The next answer is the next request's.
    assert.deepStrictEqual(await ask("fs/read_text_file"), { result: { content: "late" } })
  })

  it("interrupts an Effect", async () => {
    const [asked, interrupted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { agent } = reading(() =>
      Effect.sync(asked.resolve).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Effect.sync(interrupted.resolve))
      )
    )
    await agent.send({ id: 7, method: "fs/read_text_file", params })
    await asked.promise
    await agent.send({ method: "$/cancel_request", params: { requestId: 7 } })
    await interrupted.promise
    assert.deepStrictEqual((await agent.next()).error, withdrawn)
  })

  it("in the same write does not call the function", async () => {
    const { agent } = reading(() => assert.fail("called"))
    await agent.send(
      { id: 7, method: "fs/read_text_file", params },
      { method: "$/cancel_request", params: { requestId: 7 } }
    )
    assert.deepStrictEqual((await agent.next()).error, withdrawn)
  })
})

describe("ending the services", () => {
  it("ends the terminals of one session, or of all, as an Effect too", async () => {
    const ended: Array<string> = []
    const terminal: Terminals = { ...terminals, end: (sessionId) => Effect.sync(() => ended.push(sessionId)) }
    const services = ClientServices.make({ terminal }, () => folders)
    await services.end("s")
    await services.end()
    assert.deepStrictEqual(ended, ["s"])
    await ClientServices.make({}, () => folders).end()
  })
})
