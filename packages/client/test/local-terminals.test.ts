/** Commands that an agent runs: real processes. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { client, type CreateTerminalRequest } from "@agentclientprotocol/sdk"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { LocalTerminals } from "../src/node/index.ts"
import { ClientServices } from "../src/reference/index.ts"
import * as FakeAgent from "./fake-agent.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "local-terminals-")))
const cwd = join(folder, "in")
for (const name of ["in", "in/sub", "more", "out"]) mkdirSync(join(folder, name))
const everyone: Array<LocalTerminals.LocalTerminals> = []
afterAll(async () => {
  const ends = everyone.flatMap((terminals) => ["s", "other"].map((sessionId) => terminals.end(sessionId)))
  await Promise.all(ends.map((end) => Effect.runPromise(end)))
  rmSync(folder, { recursive: true })
})

type Extra = Partial<CreateTerminalRequest>

/** Terminals, used by the agent of the session `s`. */
const make = (options: LocalTerminals.Options = {}) => {
  const terminals = LocalTerminals.make(options)
  everyone.push(terminals)
  const stop = new AbortController()
  const run = async (command: string, args: Array<string>, { sessionId = "s", ...extra }: Extra = {}) => {
    const context = { sessionId, cwd, additionalDirectories: [join(folder, "more")], signal: stop.signal }
    const { terminalId } = await terminals.create({ sessionId, command, args, ...extra }, context)
    return { sessionId, terminalId }
  }
  return {
    ...terminals,
    stop,
    run,
    node: (script: string, extra?: Extra) => run(process.execPath, ["-e", script], extra)
  }
}

const heard = async (
  { output }: LocalTerminals.LocalTerminals,
  terminal: { sessionId: string; terminalId: string },
  text: string
) => {
  while (!output(terminal).output.includes(text)) await setTimeout(5)
}

/** The output of a command that exits, once it has. */
const whole = async (script: string, extra?: Extra) => {
  const { node, output, waitForExit } = make()
  const terminal = await node(script, extra)
  await waitForExit(terminal)
  return output(terminal).output
}

const refusal = (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => "it runs",
    (cause: { readonly code?: number; readonly message: string }) =>
      `${cause.code} ${cause.message.replaceAll(folder, "")}`
  )

/** A process that connects to this is alive for as long as the connection is. */
const lifeline = async () => {
  const [connected, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const server = createServer((socket) => {
    connected.resolve()
    socket
      .on("error", () => undefined)
      .on("close", () => {
        ended.resolve()
        server.close()
      })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const live = `require("node:net").connect(${port}, "127.0.0.1").resume(); setInterval(() => {}, 1000);`
  return { live, connected: connected.promise, ended: ended.promise }
}

/** A script that starts another, which shares its output. */
const starting = (script: string, then = "") =>
  `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(script)}], { stdio: "inherit" })${then};`

const forever = "setInterval(() => {}, 1000);"
const stubborn = `process.on("SIGTERM", () => console.log("term")); console.log("ready"); ${forever}`

describe("a command", () => {
  it("has its arguments, environment and folder, no input, and its output in one", async () => {
    process.env["LOCAL_TERMINALS_TEST"] = "inherited"
    const said = await whole(
      `process.stdin.on("data", () => {}).on("end", () => console.log("no input"))
       console.log(process.argv.length, process.cwd(), process.env.LOCAL_TERMINALS_TEST, process.env.MINE)`,
      { env: [{ name: "MINE", value: "a b" }], cwd: join(cwd, "sub") }
    )
    delete process.env["LOCAL_TERMINALS_TEST"]
    assert.strictEqual(said, `1 ${cwd}/sub inherited a b\nno input\n`)
    assert.strictEqual(await whole("console.log(process.cwd())"), `${cwd}\n`)
  })

  it("is not split up by a shell", async () => {
    const { run, output, waitForExit } = make()
    const terminal = await run(process.execPath, [
      "-p",
      "process.argv.slice(1).join('|')",
      "a b",
      "$HOME",
      "; exit 3",
      ""
    ])
    assert.deepStrictEqual(await waitForExit(terminal), { exitCode: 0, signal: null })
    assert.strictEqual(output(terminal).output, "a b|$HOME|; exit 3|\n")
  })

  it("may be run in every folder of the session and the client, and in no other", async () => {
    const here = "console.log(process.cwd())"
    assert.strictEqual(await whole(here, { cwd: join(folder, "more") }), `${folder}/more\n`)
    const { node, output, waitForExit } = make({ roots: [join(folder, "out")] })
    const terminal = await node(here, { cwd: join(folder, "out") })
    await waitForExit(terminal)
    assert.strictEqual(output(terminal).output, `${folder}/out\n`)
    const others = make()
    symlinkSync("../out", join(cwd, "link"))
    writeFileSync(join(cwd, "file"), "")
    const refused = (path: string) => refusal(others.node(here, { cwd: path }))
    const leadsOut = (path: string) => `-32602 ${path} leads out of this session's folders; use a path in /in or /more`
    assert.strictEqual(await refused(join(folder, "out")), leadsOut("/out"))
    assert.strictEqual(await refused(join(cwd, "link")), leadsOut("/in/link"))
    assert.match(await refused("sub"), /^-32602 "sub" is not an absolute path/)
    for (const path of ["/in/missing", "/in/file", "/in/file/sub"]) {
      assert.strictEqual(await refused(folder + path), `-32602 ${path} is no folder; a command needs one to run in`)
    }
  })

  it("that cannot be run is refused with a sentence", async () => {
    const { run } = make()
    const advice =
      "command is one program, args are its arguments, and only a shell, such as sh with -c, knows shell syntax"
    assert.strictEqual(
      await refusal(run("no-such-command --flag", [])),
      `-32602 cannot run "no-such-command --flag": there is no such command; ${advice}`
    )
    assert.strictEqual(await refusal(run(cwd, [])), `-32602 cannot run "/in": permission denied; ${advice}`)
    for (const [command, args] of [
      ["", []],
      ["a\0b", []],
      [process.execPath, ["a\0b"]]
    ] as const) {
      assert.match(await refusal(run(command, [...args])), /^-32602 cannot run .*: .*; command is one program/)
    }
  })

  it("tells how it exited once all it wrote can be read", async () => {
    const { node, output, waitForExit } = make()
    const script = `const { writeSync } = require("node:fs")
      for (let n = 0; n < 50; n++) writeSync(1, "x".repeat(10_000))
      writeSync(2, "end")
      process.exitCode = 3`
    const terminal = await node(script)
    assert.deepStrictEqual(await waitForExit(terminal), { exitCode: 3, signal: null })
    const { output: text, ...rest } = output(terminal)
    assert.strictEqual(text.length, 500_003)
    assert.deepStrictEqual(rest, { truncated: false, exitStatus: { exitCode: 3, signal: null } })
    const killed = await node("process.kill(process.pid, 'SIGINT'); setInterval(() => {}, 1000)")
    assert.deepStrictEqual(await waitForExit(killed), { exitCode: null, signal: "SIGINT" })
  })

  it("can be read while it runs, in the order in which it writes", async () => {
    const terminals = make()
    const gate = (name: string) => JSON.stringify(join(folder, name))
    const waits = "const until = (file) => { while (!existsSync(file)) Atomics.wait(cell, 0, 0, 5) };"
    const terminal = await terminals.node(`
      const { existsSync, writeSync } = require("node:fs"); const cell = new Int32Array(new SharedArrayBuffer(4)); ${waits}
      writeSync(1, "one "); until(${gate("1")}); writeSync(2, "two "); until(${gate("2")});
      writeSync(1, Buffer.from([0xc3])); writeSync(2, "three "); until(${gate("3")}); writeSync(1, Buffer.from([0xa4]))
    `)
    for (const [n, text] of ["one ", "one two ", "one two three "].entries()) {
      await heard(terminals, terminal, text)
      assert.deepStrictEqual(terminals.output(terminal), { output: text, truncated: false })
      writeFileSync(join(folder, `${n + 1}`), "")
    }
    await terminals.waitForExit(terminal)
    assert.strictEqual(terminals.output(terminal).output, "one two three ä")
  })

  it("may write more than is kept", async () => {
    const { node, output, waitForExit } = make()
    const kept = async (script: string, outputByteLimit: number | null | undefined) => {
      const terminal = await node(script, outputByteLimit === undefined ? {} : { outputByteLimit })
      await waitForExit(terminal)
      return output(terminal)
    }
    const limited = await kept("console.log('aäää')", 4)
    assert.deepStrictEqual(limited, { output: "ä\n", truncated: true, exitStatus: { exitCode: 0, signal: null } })
    const flood = "process.stdout.write('x'.repeat(6 * 1024 * 1024) + 'end')"
    for (const [limit, length] of [
      [undefined, 1024 * 1024],
      [null, 1024 * 1024],
      [Number.MAX_SAFE_INTEGER, 4 * 1024 * 1024]
    ] as const) {
      const { output: text, truncated } = await kept(flood, limit)
      assert.isTrue(truncated)
      assert.strictEqual(text.length, length)
      assert.isTrue(text.endsWith("xend"))
    }
  })

  it("that leaves a child with its pipes has exited all the same, and the child goes with the terminal", async () => {
    const { live, connected, ended } = await lifeline()
    const { node, output, release, waitForExit } = make()
    const terminal = await node(starting(live, ".on('spawn', () => { console.log('left'); process.exit(5) })"))
    assert.deepStrictEqual(await waitForExit(terminal), { exitCode: 5, signal: null })
    assert.strictEqual(output(terminal).output, "left\n")
    await connected
    await Effect.runPromise(release(terminal))
    await ended
  })
})

describe("killing a command", () => {
  it.effect("sends SIGTERM, and SIGKILL after 1 s; it can still be read", () =>
    Effect.gen(function* () {
      const terminals = make()
      const terminal = yield* Effect.promise(() => terminals.node(stubborn))
      const waiting = terminals.waitForExit(terminal)
      yield* Effect.promise(() => heard(terminals, terminal, "ready"))
      const killing = yield* Effect.forkChild(terminals.kill(terminal))
      yield* Effect.promise(() => heard(terminals, terminal, "term"))
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(killing.pollUnsafe())
      assert.isUndefined(terminals.output(terminal).exitStatus)
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(killing)
      const exitStatus = { exitCode: null, signal: "SIGKILL" }
      assert.deepStrictEqual(terminals.output(terminal), { output: "ready\nterm\n", truncated: false, exitStatus })
      assert.deepStrictEqual(yield* Effect.promise(() => waiting), exitStatus)
    })
  )

  it("does not wait for one that obeys, or is gone, and ends what it started", async () => {
    const { live, connected, ended } = await lifeline()
    const { kill, node, waitForExit } = make()
    const terminal = await node(starting(live) + forever)
    await connected
    await Effect.runPromise(kill(terminal))
    await ended
    assert.deepStrictEqual(await waitForExit(terminal), { exitCode: null, signal: "SIGTERM" })
    await Effect.runPromise(kill(terminal))
  })

  it.effect("goes on when the request for it is withdrawn", () =>
    Effect.gen(function* () {
      const terminals = make()
      const terminal = yield* Effect.promise(() => terminals.node(stubborn))
      yield* Effect.promise(() => heard(terminals, terminal, "ready"))
      const killing = yield* Effect.forkChild(terminals.kill(terminal))
      yield* Effect.promise(() => heard(terminals, terminal, "term"))
      const withdrawing = yield* Effect.forkChild(Fiber.interrupt(killing))
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.join(withdrawing)
      assert.deepStrictEqual(yield* Effect.promise(() => terminals.waitForExit(terminal)), {
        exitCode: null,
        signal: "SIGKILL"
      })
    })
  )
})

describe("a terminal", () => {
  const unknown = (id: string) => `-32602 there is no terminal ${id} in this session; one that was released is gone`
  const asked = async (
    { kill, output, release, waitForExit }: LocalTerminals.LocalTerminals,
    terminal: { sessionId: string; terminalId: string }
  ) => {
    const answers = [output, waitForExit, kill, release].map((ask) =>
      refusal(Promise.resolve().then((): unknown => ask(terminal)))
    )
    return new Set(await Promise.all(answers))
  }

  it("that is released ends, answers who waits for it, and is unknown from then on", async () => {
    const { live, connected, ended } = await lifeline()
    const terminals = make()
    const terminal = await terminals.node(live)
    await connected
    const waiting = terminals.waitForExit(terminal)
    const releasing = Effect.runPromise(terminals.release(terminal))
    assert.deepStrictEqual(await asked(terminals, terminal), new Set([unknown(terminal.terminalId)]))
    await releasing
    await ended
    assert.deepStrictEqual(await waiting, { exitCode: null, signal: "SIGTERM" })
  })

  it("is known in its own session only", async () => {
    const terminals = make()
    const { terminalId } = await terminals.node(forever, { sessionId: "other" })
    assert.deepStrictEqual(await asked(terminals, { sessionId: "s", terminalId }), new Set([unknown(terminalId)]))
    assert.deepStrictEqual(await asked(terminals, { sessionId: "s", terminalId: "none" }), new Set([unknown("none")]))
    assert.isUndefined(terminals.output({ sessionId: "other", terminalId }).exitStatus)
  })

  it("whose request was withdrawn before its id was told is ended", async () => {
    const terminals = make()
    const creating = terminals.node(forever)
    terminals.stop.abort()
    const terminal = await creating
    assert.deepStrictEqual(await asked(terminals, terminal), new Set([unknown(terminal.terminalId)]))
  })
})

describe("the end", () => {
  it("of a session leaves nothing of it running, and other sessions alone", async () => {
    const [first, second, other] = [await lifeline(), await lifeline(), await lifeline()]
    const terminals = make()
    await terminals.node(starting(first.live) + forever)
    await terminals.node(second.live)
    const kept = await terminals.node(other.live, { sessionId: "other" })
    await Promise.all([first.connected, second.connected, other.connected])
    await Effect.runPromise(terminals.end("s"))
    await Promise.all([first.ended, second.ended])
    assert.isUndefined(terminals.output(kept).exitStatus)
    await Effect.runPromise(terminals.end("other"))
    await other.ended
  })

  it("of a session finds a command that is only just starting", async () => {
    const terminals = make()
    const creating = terminals.node(forever)
    await Effect.runPromise(terminals.end("s"))
    const terminal = await creating
    assert.throws(() => terminals.output(terminal), /there is no terminal/)
  })

  it("of the client's process, which closes nothing, leaves nothing running", async () => {
    const { live, connected, ended } = await lifeline()
    const { node, waitForExit } = make()
    const entry = new URL("../src/node/index.ts", import.meta.url).href
    const context = `{ sessionId: "s", cwd: process.cwd(), additionalDirectories: [], signal: new AbortController().signal }`
    const request = { sessionId: "s", command: process.execPath, args: ["-e", starting(live) + forever] }
    const terminal = await node(`
      import(${JSON.stringify(entry)}).then(async ({ LocalTerminals }) => {
        await LocalTerminals.make().create(${JSON.stringify(request)}, ${context})
        setInterval(() => require("node:fs").existsSync("exit") && process.exit(0), 5)
      })
    `)
    await connected
    writeFileSync(join(cwd, "exit"), "")
    assert.deepStrictEqual(await waitForExit(terminal), { exitCode: 0, signal: null })
    await ended
  })
})

describe("over the wire", () => {
  it("a command is run, waited for, withdrawn from and killed", async () => {
    const agent = FakeAgent.make()
    const terminal = LocalTerminals.make()
    everyone.push(terminal)
    const services = ClientServices.make({ terminal }, () => ({ cwd, additionalDirectories: [] }))
    services.addTo(client({ name: "test" })).connect(agent.stream)
    const ask = async (id: number, method: string, params: object) => {
      await agent.send({ id, method, params: { sessionId: "s", ...params } })
      return agent.next()
    }
    const command = { command: process.execPath, args: ["-e", forever] }
    const { terminalId } = (await ask(1, "terminal/create", command)).result
    await agent.send({ id: 2, method: "terminal/wait_for_exit", params: { sessionId: "s", terminalId } })
    await agent.send({ method: "$/cancel_request", params: { requestId: 2 } })
    const { error, id } = await agent.next()
    assert.deepStrictEqual([id, error.code], [2, -32800])
    assert.deepStrictEqual((await ask(3, "terminal/output", { terminalId })).result, { output: "", truncated: false })
    assert.deepStrictEqual((await ask(4, "terminal/kill", { terminalId })).result, {})
    const exitStatus = { exitCode: null, signal: "SIGTERM" }
    assert.deepStrictEqual((await ask(5, "terminal/wait_for_exit", { terminalId })).result, exitStatus)
    assert.deepStrictEqual((await ask(6, "terminal/release", { terminalId })).result, {})
    assert.strictEqual((await ask(7, "terminal/output", { terminalId })).error.code, -32602)
  })
})
