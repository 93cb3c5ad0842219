/** Agents as processes: real ones, with the test's time. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { AgentProcess } from "../src/node/index.ts"
import { startAgent, type StartOptions } from "../src/promise/index.ts"

/** A program that ignores the end of its stdin and SIGTERM, and says so when it is ready. */
const stubborn = `
  process.on("SIGTERM", () => console.log("term"))
  process.stdin.resume().on("end", () => console.log("eof"))
  setInterval(() => {}, 1000)
  console.log("ready")
`

const node = (script: string) => ({ command: process.execPath, args: ["-e", script] })

/** Starts a program whose lines are told one by one. */
const started = Effect.fnUntraced(function* (script: string) {
  const heard: Array<string> = []
  const waiting = new Map<string, () => void>()
  const scope = yield* Scope.make()
  const agent = yield* AgentProcess.start({
    ...node(script),
    onNoise: (sentence) => {
      const line = sentence.split(": ").at(-1) ?? ""
      heard.push(line)
      waiting.get(line)?.()
    }
  }).pipe(Scope.provide(scope))
  // Somebody has to read, or nothing is heard.
  const over = agent.stream.readable.pipeTo(new WritableStream()).catch(() => undefined)
  const hears = (line: string) =>
    Effect.promise(async () => {
      if (!heard.includes(line)) await new Promise<void>((resolve) => waiting.set(line, resolve))
    })
  return { agent, hears, heard, isOver: Effect.promise(() => over), close: Scope.close(scope, Exit.void) }
})

describe("closing an agent", () => {
  it.effect("ends its stdin, waits 2.5 s, sends SIGTERM, waits 1 s and kills it [CLIENT-8.a CLIENT-8.b]", () =>
    Effect.gen(function* () {
      const { agent, close, heard, hears } = yield* started(stubborn)
      yield* hears("ready")
      const closing = yield* Effect.forkChild(close)
      yield* hears("eof")
      yield* TestClock.adjust("2499 millis")
      assert.notInclude(heard, "term")
      yield* TestClock.adjust("1 millis")
      yield* hears("term")
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(closing)
      assert.strictEqual(yield* agent.whyClosed, "the agent was ended by SIGKILL")
    })
  )

  it.effect("does not wait for an agent that ends with its stdin [CLIENT-8.a]", () =>
    Effect.gen(function* () {
      const { agent, close } = yield* started("process.stdin.resume()")
      yield* close
      assert.strictEqual(yield* agent.whyClosed, "the agent exited with code 0")
    })
  )

  it.effect("skips the first wait for a user in a hurry [CLI-4.f]", () =>
    Effect.gen(function* () {
      const { agent, close, hears } = yield* started(stubborn)
      yield* hears("ready")
      const closing = yield* Effect.forkChild(close)
      yield* hears("eof")
      yield* agent.hurry
      yield* hears("term")
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.join(closing)
    })
  )

  it.effect("ends what the agent started, too [CLIENT-8.b]", () =>
    Effect.gen(function* () {
      const { close, hears, isOver } = yield* started(`
        require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" })
          .on("spawn", () => console.log("ready"))
        process.stdin.resume().on("end", () => process.exit(0))
      `)
      yield* hears("ready")
      yield* close
      // The child has the agent's stdout: when nobody has it any more, the child is gone.
      yield* isOver
    })
  )
})

describe("an agent that is started", () => {
  const speaks = `
    process.stderr.write(process.cwd() + " " + process.env.MARK + "\\n")
    process.stdin.once("data", () =>
      console.log(JSON.stringify({ jsonrpc: "2.0", id: 0, result: { protocolVersion: 1 } })))
  `

  it("has its folder, its environment, and its stderr where the client wants it", async () => {
    const lines: Array<string> = []
    const connection = await startAgent(process.execPath, ["-e", speaks], {
      cwd: "/",
      env: { MARK: "mine" },
      stderr: (line) => lines.push(line)
    })
    await connection.close()
    assert.deepStrictEqual(lines, ["/ mine"])
    assert.strictEqual(await connection.closed, "the connection was closed on this side")
  })
})

describe("an agent that is difficult", () => {
  const line = (message: object): string => JSON.stringify({ jsonrpc: "2.0", ...message })
  const opening = `
    const { createInterface } = require("node:readline")
    const { closeSync, writeSync } = require("node:fs")
    const say = (...lines) => writeSync(1, lines.map((one) => one + "\\n").join(""))
    const answers = { initialize: { protocolVersion: 1 }, "session/new": { sessionId: "s" } }
    createInterface({ input: process.stdin }).on("line", (text) => {
      const { id, method } = JSON.parse(text)
      const end = JSON.stringify({ jsonrpc: "2.0", id, result: { stopReason: "end_turn" } })
      if (answers[method]) say(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] }))
      if (method === "session/prompt") turn(end)
    })
  `
  const update = line({
    method: "session/update",
    params: { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "a" } } }
  })
  const promptOf = async (turn: string, options: StartOptions = {}) => {
    let updates = 0
    const onUpdate = () => void updates++
    await using connection = await startAgent(process.execPath, ["-e", `${opening}${turn}`], { onUpdate, ...options })
    const session = await connection.newSession("/")
    return { stopReason: await session.prompt("Hello"), updates }
  }

  it("and reads no more is heard to its end: what it wrote after that, too [CLIENT-7.a]", async () => {
    const request = line({ id: 1, method: "_nobody/knows", params: {} })
    const turn = `const turn = (end) => {
      closeSync(0)
      say(${JSON.stringify(request)})
      setTimeout(() => say(...Array(500).fill(${JSON.stringify(update)}), end), 200)
    }`
    assert.deepStrictEqual(await promptOf(turn), { stopReason: "end_turn", updates: 500 })
  })

  it("and writes what is nested too deep to be answered in full keeps its connection", async () => {
    const turn = `const turn = (end) => {
      const deep = "[".repeat(100_000) + "]".repeat(100_000)
      process.stdout.write('{"jsonrpc":"2.0","x":' + deep + '}\\n{"jsonrpc":"2.0","id":' + deep + '}\\n' + end + '\\n')
    }`
    assert.deepStrictEqual(await promptOf(turn), { stopReason: "end_turn", updates: 0 })
  })

  it("and prints noise is told of in a sentence, escaped; a log that throws harms nothing", async () => {
    const lines: Array<string> = []
    const log = (told: string) => {
      lines.push(told)
      throw new Error("log")
    }
    const turn = `const turn = (end) => say("\\u001b[31mhello", end)`
    assert.deepStrictEqual(await promptOf(turn, { log }), { stopReason: "end_turn", updates: 0 })
    assert.deepStrictEqual(lines, ["the agent wrote something on stdout that is not ACP: \\u001b[31mhello"])
  })
})

describe("closing a connection twice", () => {
  it("waits for the same end", async () => {
    const slow = `
      process.stdin.on("end", () => setTimeout(() => process.exit(0), 100))
      process.stdin.once("data", () =>
        console.log(JSON.stringify({ jsonrpc: "2.0", id: 0, result: { protocolVersion: 1 } })))
    `
    const connection = await startAgent(process.execPath, ["-e", slow])
    let isClosed = false
    void connection.close().then(() => (isClosed = true))
    await connection.close()
    assert.isTrue(isClosed)
  })
})

describe("the end of this process", () => {
  const host = (signal: string): string => `
    const { startAgent } = await import(${JSON.stringify(new URL("../src/promise/index.ts", import.meta.url).href)})
    await startAgent(process.execPath, ["-e", ${JSON.stringify(`
      setInterval(() => {}, 1000)
      process.on("SIGTERM", () => {})
      process.stdin.once("data", () =>
        console.log(JSON.stringify({ jsonrpc: "2.0", id: 0, result: { protocolVersion: 1 } })))
    `)}])
    process.kill(process.pid, ${JSON.stringify(signal)})
  `

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "by a %s that nobody listens for takes the agent with it [CLIENT-8.c]",
    async (signal) => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", host(signal)], {
        stdio: ["ignore", "ignore", "pipe"]
      })
      child.stderr.resume()
      // The agent has its stderr as well: that it is closed says that both are gone.
      const ended = await new Promise((resolve) => child.on("close", (_, name) => resolve(name)))
      assert.strictEqual(ended, signal)
    }
  )
})

describe("an agent that cannot be used", () => {
  it("is told in one sentence: no such command, a crash [CLIENT-8.d CLIENT-8.e]", async () => {
    const messageOf = (command: string, args: ReadonlyArray<string>) =>
      startAgent(command, args).then(
        () => "connected",
        (cause: unknown) => String(cause)
      )
    assert.strictEqual(
      await messageOf("no-such-agent", []),
      'Error: cannot start the agent "no-such-agent": there is no such command; check its name, its path, and that it can be executed'
    )
    assert.strictEqual(
      await messageOf(process.execPath, ["-e", "process.exit(3)"]),
      "Error: the agent exited with code 3, before it answered initialize; run its command alone to see why"
    )
    assert.strictEqual(
      await messageOf(process.execPath, ["-e", "process.kill(process.pid, 'SIGKILL')"]),
      "Error: the agent was ended by SIGKILL, before it answered initialize; run its command alone to see why"
    )
    // Its stdout lives on in a child it left behind.
    const leavesChild = `
      require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" })
        .on("spawn", () => process.exit(4))
    `
    assert.strictEqual(
      await messageOf(process.execPath, ["-e", leavesChild]),
      "Error: the agent exited with code 4, before it answered initialize; run its command alone to see why"
    )
  })

  it("is told in one sentence: no such folder, not executable [CLIENT-8.d]", async () => {
    const messageOf = (command: string, options: StartOptions) => startAgent(command, [], options).then(String, String)
    assert.match(
      await messageOf(process.execPath, { cwd: "/no/such/folder" }),
      /or no folder "\/no\/such\/folder"; check/
    )
    assert.match(await messageOf("/", {}), /^Error: cannot start .*: permission denied; check its name/)
  })

  it("is told in one sentence when it stops reading [CLIENT-8.e]", async () => {
    const deaf = `
      process.stdin.once("data", () => {
        require("node:fs").closeSync(0)
        console.log(JSON.stringify({ jsonrpc: "2.0", id: 0, result: { protocolVersion: 1 } }))
      })
      setInterval(() => {}, 1000)
    `
    const connection = await startAgent(process.execPath, ["-e", deaf])
    const error = await connection.newSession("/").catch((cause: unknown) => cause)
    await connection.close()
    assert.strictEqual(String(error), "Error: the agent closed its stdin, before it answered session/new")
  })

  it("may write a banner, a log line or half a message: each is told, and the rest is read", async () => {
    const lines: Array<string> = []
    const chatty = `
      console.log("[INFO] started\\n{not json\\n42\\n[]\\n{}\\n\\r\\n")
      process.stdin.once("data", () =>
        console.log(JSON.stringify({ jsonrpc: "2.0", id: 0, result: { protocolVersion: 1 } })))
    `
    const connection = await startAgent(process.execPath, ["-e", chatty], { log: (line) => lines.push(line) })
    await connection.close()
    const noise = (text: string) => `the agent wrote something on stdout that is not ACP: ${text}`
    assert.deepStrictEqual(lines, ["[INFO] started", "{not json", "42", "[]", "{}"].map(noise))
  })

  it("may write much that is not ACP: the first lines are told", async () => {
    const lines: Array<string> = []
    const noisy = `for (let n = 0; n < 1000; n++) console.log("noise " + n)`
    await startAgent(process.execPath, ["-e", noisy], { log: (line) => lines.push(line) }).catch(() => undefined)
    assert.strictEqual(lines[0], "the agent wrote something on stdout that is not ACP: noise 0")
    assert.lengthOf(lines, 21)
    assert.match(lines.at(-1) ?? "", /not shown any more/)
  })
})
