import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { RunTranscript, Transcript } from "../src/index.ts"
import type { Json } from "../src/index.ts"
import { runAgent, runClient } from "./target.ts"

const request = (id: Json, method: string, params: Json = {}) => ({ jsonrpc: "2.0", id, method, params })
const initialize = [
  { send: request(1, "initialize", { protocolVersion: 1 }) },
  { expect: { id: 1, result: { protocolVersion: 1 } } }
]
const prompt = [
  ...initialize,
  { send: request(2, "session/new", { cwd: "${dir}" }) },
  { expect: { id: 2, result: { sessionId: { $save: "session" }, cwd: "${dir}" } } },
  { send: request(3, "session/prompt", { sessionId: { $ref: "session" } }) },
  {
    expect: { method: "_t/tool", id: { $save: "call" }, params: { $exact: { language: "go", _meta: { $any: true } } } }
  }
]
const answered = [
  ...prompt,
  { send: { jsonrpc: "2.0", id: { $ref: "call" }, result: "main.go" } },
  { expect: { method: "session/update", params: { update: { text: "main.go" } } } },
  { expect: { id: 3, result: { stopReason: "end_turn" } } }
]

const passes = (report: RunTranscript.Report) => assert.isUndefined(report.failure?.message)
const fails = (report: RunTranscript.Report, step: number, text: string) => {
  assert.include(report.failure?.message ?? "(passed)", text)
  assert.strictEqual(report.failure?.step, step)
}

const folder = mkdtempSync(join(tmpdir(), "conformance-test-"))
process.env["TMPDIR"] = folder

afterAll(() => {
  assert.deepStrictEqual(readdirSync(folder), [], "a folder was left behind")
  rmSync(folder, { recursive: true })
  const environments = execFileSync("ps", ["axeww", "-o", "args"], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })
  const left = environments.split("\n").filter((line) => line.includes(`TMPDIR=${folder}`) && !line.startsWith("ps "))
  const peers = left.filter((line) => line.includes("peers/") || line.includes("relay.ts"))
  assert.deepStrictEqual(peers, [], "a process was left running")
})

describe("an agent under test", () => {
  it("passes a whole turn", async () => passes(await runAgent("good", answered)))

  it("passes with every kind of step", async () =>
    passes(
      await runAgent("good", [
        ...answered,
        { expectNothing: true },
        { sendRaw: "{not json\n" },
        { expect: { id: null, error: { code: -32700 } } },
        { sendRaw: { base64: Buffer.from("{\n").toString("base64") } },
        { expect: { error: { code: -32700 } } },
        { sendTogether: [request("a", "_x"), request("b", "_x")] },
        { expectInAnyOrder: [{ id: "b" }, { id: "a" }] },
        { expectStderr: "[agent] initialize" },
        { expectNoStderr: { $contains: "initialize" } },
        { expectStderr: { $regex: "new$" } },
        { close: true },
        { expectClose: true },
        { expectNothing: true },
        { expectExit: 0 }
      ])
    ))

  it("passes a late answer, a signal and what may be ignored", async () => {
    const ignore = [{ method: "session/update" }]
    const cancel = { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "${session}" } }
    passes(await runAgent("good", answered.toSpliced(7, 1), { ignore }))
    passes(
      await runAgent("good", [
        ...prompt,
        { send: cancel },
        { expect: { id: 3 } },
        { signal: "SIGTERM" },
        { expectExit: 0 }
      ])
    )
  })

  it("fails on another answer, and says what, where and what went before", async () => {
    const report = await runAgent("good", [
      initialize[0] ?? {},
      { expect: { result: { protocolVersion: 2 } }, note: "v2" }
    ])
    fails(report, 2, "good, step 2 of 2 (expect): result.protocolVersion: expected 2, got 1")
    for (const part of ["note: v2", "last messages:", '> {"jsonrpc":"2.0","id":1', '< {"jsonrpc":"2.0","id":1']) {
      assert.include(report.failure?.message, part)
    }
    assert.deepInclude(report.log[0], { direction: "send", message: request(1, "initialize", { protocolVersion: 1 }) })
  })

  const broken: ReadonlyArray<readonly [manner: string, ReadonlyArray<Json>, step: number, text: string]> = [
    ["garbage", answered, 4, 'got a line that is not JSON: "this is not JSON"'],
    ["bytes", answered, 4, "got a line with not UTF-8"],
    ["halfLine", answered, 4, "got a line with no newline at its end"],
    ["dies", answered, 4, "the process under test has ended: 3"],
    ["silent", answered, 4, 'nothing came, expected {"id":2'],
    ["twice", answered, 4, "id: expected 2, got 1"],
    ["twice", initialize, 3, 'unexpected after the last step: {"jsonrpc":"2.0","id":1'],
    ["twice", [...initialize, { expectNothing: true }], 3, 'expected nothing, got {"jsonrpc":"2.0","id":1'],
    ["disorder", answered, 8, 'method: expected "session/update", got undefined'],
    ["noise", initialize, 2, 'not JSON: "Listening …"'],
    ["flood", [...initialize, { send: request(2, "x") }], 4, "the peer flooded its output"],
    ["flood", [...initialize, { send: request(2, "x") }, { expect: { id: 2 } }], 4, "id: expected 2"],
    ["silent", [...initialize, { expectNothing: true }], 3, "the barrier request was not answered"],
    ["silent", [...initialize, { send: request(2, "x") }, { expectInAnyOrder: [{ id: 2 }] }], 4, "nothing came"],
    ["good", [...initialize, { expectStderr: "[agent] nothing" }], 3, "no such line came on stderr"],
    ["good", [...initialize, { expectNoStderr: { $contains: "init" } }], 4, "forbidden on stderr"],
    ["good", [...initialize, { expectExit: 0, timeoutMs: 100 }], 3, "the process is still running"],
    ["good", [...initialize, { expectClose: true, timeoutMs: 100 }], 3, "the connection is still open"],
    ["good", [...initialize, { close: true }, { expectExit: 1 }], 4, "expected exit 1, got 0"],
    ["dies", [...initialize, { send: request(2, "x") }, { expectExit: 0 }], 4, "expected exit 0, got 3"],
    [
      "good",
      [{ sendTogether: [request("a", "_x"), request("b", "_x")] }, { expectInAnyOrder: [{ id: "b" }, { id: "c" }] }],
      2,
      'nothing matches {"id":"c"}'
    ]
  ]
  for (const [manner, steps, step, text] of broken) {
    it.concurrent(`${manner} fails at step ${step}: ${text}`, async () =>
      fails(await runAgent(manner, steps, { timeoutMs: 1500 }), step, text))
  }

  it("does not mind what comes after the end when told so", async () =>
    passes(await runAgent("twice", initialize, { allowTrailing: true })))

  it("fails when the command cannot be started, without hanging", async () => {
    const transcript = Transcript.decode({
      id: "missing",
      side: "agent",
      requirements: ["X-1"],
      description: "d",
      setup: {},
      steps: initialize
    })
    const report = await RunTranscript.run(transcript, { agentCommand: () => ({ command: "/no/such", args: [] }) })
    fails(report, 2, "could not be started")
    fails(await RunTranscript.run(transcript, {}), 0, "the target has no agentCommand")
  })

  it(
    "kills an agent that outlives its stdin and SIGTERM",
    async () => passes(await runAgent("stubborn", initialize)),
    8000
  )
})

const start = [
  {
    expect: {
      method: "initialize",
      id: { $save: "init" },
      params: {
        clientCapabilities: {
          _meta: { "org.mini-me/tools": [{ $exact: { name: "greet", method: "_t/greet" } }, { name: "hang" }] }
        }
      }
    }
  },
  { send: { jsonrpc: "2.0", id: { $ref: "init" }, result: { protocolVersion: 1 } } },
  { expect: { method: "session/new", id: { $save: "new" }, params: { cwd: "${dir}" } } },
  { send: { jsonrpc: "2.0", id: { $ref: "new" }, result: { sessionId: "s1" } } },
  { expect: { method: "session/prompt", id: { $save: "prompt" }, params: { prompt: [{ text: "Hello" }] } } }
]
const update = { sessionId: "s1", update: { sessionUpdate: "agent_message_chunk" } }
const ending = [
  {
    sendTogether: [
      { jsonrpc: "2.0", method: "session/update", params: update },
      { jsonrpc: "2.0", id: { $ref: "prompt" }, result: { stopReason: "end_turn" } }
    ]
  },
  { expectStdout: { $exact: update } },
  { expectStdout: '{"sessionId":"s1","stopReason":"end_turn"}' }
]
const call = { send: request(9, "_t/greet", { _meta: { "org.mini-me/sessionId": "s1" } }) }

describe("a client under test", () => {
  it("passes with every kind of step", async () =>
    passes(
      await runClient("good", [
        ...start,
        { expectNothing: true },
        call,
        { expect: { id: 9, result: "hi" } },
        { sendStderr: "[agent] says hello" },
        { expectStderr: "[agent] says hello" },
        ...ending,
        { expectClose: true },
        { expectExit: 0 }
      ])
    ))

  it("passes when the agent exits, closes or is not there", async () => {
    passes(await runClient("good", [{ exitAgent: 7 }, { expectExit: 1 }], { allowTrailing: true }))
    passes(await runClient("good", [...start, { close: true }, { signal: "SIGINT" }, { expectExit: 130 }]))
    passes(await runClient("good", [{ expectExit: 1 }], { setup: { agent: "missing" } }))
  })

  it("passes with an agent that has to be killed", async () =>
    passes(
      await runClient("good", [...start, { signal: "SIGINT" }, { expectExit: 130 }], {
        setup: {
          agent: "stubborn",
          prompt: "Hello",
          tools: [
            { name: "greet", method: "_t/greet", behaviour: { return: "hi" } },
            { name: "hang", method: "_t/hang", behaviour: { never: true } }
          ]
        }
      })
    ))

  const broken: ReadonlyArray<readonly [manner: string, ReadonlyArray<Json>, step: number, text: string]> = [
    ["dies", start, 1, "the process under test has ended: 2"],
    ["silent", start, 3, "nothing came"],
    ["twice", [...start, call, { expect: { id: 9 } }], 8, "unexpected after the last step"],
    ["noise", [...start, ...ending], 7, 'got a line that is not JSON: "ready"'],
    ["chatty", [...start, ...ending, { expectExit: 0 }], 10, 'unexpected on stdout after the last step: "bye"'],
    ["hangs", [...start, ...ending, { expectExit: 0, timeoutMs: 200 }], 9, "the process is still running"],
    ["starts twice", start, 6, "the client started its agent more than once"],
    ["good", [...start, { expectStdout: { stopReason: "end_turn" }, timeoutMs: 100 }], 6, "no line came on stdout"]
  ]
  for (const [manner, steps, step, text] of broken) {
    it.concurrent(`${manner} fails at step ${step}: ${text}`, async () =>
      fails(await runClient(manner, steps), step, text))
  }
})

describe("Transcript.decode", () => {
  const whole = { id: "x", side: "agent", requirements: ["X-1"], description: "d", setup: {}, steps: [{ close: true }] }
  const wrong: ReadonlyArray<readonly [Record<string, Json>, RegExp]> = [
    [{ stepps: [] }, /x: unknown key "stepps"/u],
    [{ setup: { tools: [] } }, /x: setup: unknown key "tools"/u],
    [{ steps: [{ close: true, send: {} }] }, /step 1: exactly one kind/u],
    [{ steps: [{ note: "nothing" }] }, /step 1: exactly one kind/u],
    [{ steps: [{ expekt: {} }] }, /unknown key "expekt"/u],
    [{ steps: [{ expect: { $nay: 1 } }] }, /unknown matcher/u],
    [{ steps: [{ send: { id: { $ref: "nobody" } } }] }, /step 1: nothing is saved as "nobody" before/u],
    [{ steps: [{ expect: "session ${nobody}" }] }, /nothing is saved as "nobody" before/u],
    [{ steps: [{ exitAgent: 1 }] }, /exitAgent is for transcripts with the client under test/u],
    [{ steps: [{ signal: "SIGFOO" }] }, /signal cannot be "SIGFOO"/u]
  ]
  for (const [change, text] of wrong) {
    it(`refuses ${JSON.stringify(change)}`, () => assert.throws(() => Transcript.decode({ ...whole, ...change }), text))
  }
  it("accepts the shortest one", () => assert.strictEqual(Transcript.decode(whole).id, "x"))
})

describe("Transcript.transcripts", () => {
  for (const side of ["agent", "client"] as const) {
    it(`gives the transcripts of the ${side}`, () => {
      const found = Transcript.transcripts(side)
      assert.isAbove(found.length, 20)
      assert.isTrue(found.every((transcript) => transcript.side === side))
    })
  }

  it("names the file when one cannot be read", () =>
    assert.throws(() => Transcript.load("/no/such.json"), /^\/no\/such\.json: /u))
})
