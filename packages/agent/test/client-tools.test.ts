/** The extension on a host of plain functions: what an agent of any make gets. Time is the test's. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ClientTools, Host, type Tool, ToolCall } from "../src/index.ts"

const list = [{ name: "a", method: "_t/a", inputSchema: { type: "object", required: ["q"] } }]
const initialize = (tools: unknown) => ({ clientCapabilities: { _meta: { "org.mini-me/tools": tools } } })

/** A host that answers with `request` and writes down what went out. */
const recording = (request: Host.Host["request"]) => {
  const log: Array<string> = []
  const host: Host.Host = {
    request: (method, params) =>
      Effect.suspend(() => {
        log.push(`request ${method}`)
        return request(method, params)
      }).pipe(Effect.onInterrupt(() => Effect.sync(() => log.push(`cancel ${method}`)))),
    report: (_, update) =>
      Effect.sync(() => {
        log.push(`${update.sessionUpdate} ${"status" in update ? update.status : ""}`)
      })
  }
  return { host, log }
}

const open = (host: Host.Host, settings: ClientTools.SettingsInput = {}) => {
  const decoded = ClientTools.decodeSettings({ yolo: true, ...settings })
  assert(decoded._tag === "Success")
  return ClientTools.fromInitialize(initialize(list), { host, settings: decoded.success }).openSession({
    sessionId: "s",
    cwd: "/"
  })
}

const requested = { toolCallId: "1", name: "client_a", arguments: { q: 1 } }

describe("ClientTools", () => {
  it.effect("declares the tools and runs a call through every step [OWN-1.a CALL-2.a REPORT-1.c]", () =>
    Effect.gen(function* () {
      const { host, log } = recording((_, params) => Effect.succeed(params))
      const session = yield* open(host)
      assert.deepStrictEqual(
        session.declarations.map(({ name }) => name),
        ["client_a"]
      )
      assert.deepStrictEqual(yield* session.call(requested), {
        text: '{"q":1,"_meta":{"org.mini-me/sessionId":"s"}}',
        failed: false
      })
      assert.deepStrictEqual(log, [
        "tool_call pending",
        "tool_call_update in_progress",
        "request _t/a",
        "tool_call_update completed"
      ])
    })
  )

  it.effect("needs no reporter, and refuses what it cannot ask about [PERM-4.c]", () =>
    Effect.gen(function* () {
      const host: Host.Host = { request: () => Effect.succeed("ran") }
      const asking = yield* open(host, { permissions: "ask" })
      assert.deepStrictEqual(yield* asking.call(requested), { text: "[client_a rejected by user]", failed: true })
      const session = yield* open(host)
      assert.deepStrictEqual(yield* session.call(requested), { text: "ran", failed: false })
    })
  )

  it.effect("cancels a call at its deadline, and not before [ERR-2.a]", () =>
    Effect.gen(function* () {
      const { host, log } = recording(() => Effect.never)
      const session = yield* open(host, { timeout: "720h" })
      const running = yield* Effect.forkChild(session.call(requested))
      yield* TestClock.adjust("719 hours")
      assert.notInclude(log, "cancel _t/a")
      yield* TestClock.adjust("1 hour")
      const { failed, text } = yield* Fiber.join(running)
      assert.isTrue(failed)
      assert.include(text, "no answer within 720h")
      assert.deepStrictEqual(log.slice(-2), ["cancel _t/a", "tool_call_update failed"])
    })
  )

  it.effect("cancels the request of an interrupted call and reports its end, once [ERR-3.a ERR-3.b TURN-3.b]", () =>
    Effect.gen(function* () {
      const { host, log } = recording(() => Effect.never)
      const session = yield* open(host)
      const running = yield* Effect.forkChild(session.call(requested))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(running)
      assert.deepStrictEqual(log, [
        "tool_call pending",
        "tool_call_update in_progress",
        "request _t/a",
        "cancel _t/a",
        "tool_call_update failed"
      ])
    })
  )

  it.effect("does not take the wait for a permission off the tool's time [PERM-5.a]", () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<unknown>()
      const { host, log } = recording(() => Effect.delay(Effect.succeed("ran"), "29 seconds"))
      const session = yield* open({ ...host, askPermission: () => Deferred.await(answer) }, { yolo: false })
      const running = yield* Effect.forkChild(session.call(requested))
      yield* TestClock.adjust("10 hours")
      assert.deepStrictEqual(log, ["tool_call pending"])
      yield* Deferred.succeed(answer, { outcome: { outcome: "selected", optionId: "allow" } })
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(yield* Fiber.join(running), { text: "ran", failed: false })
    })
  )

  it.effect(
    "gives a session no tools and one line when its list does not come in time [REQ-4.b REQ-4.d REQ-5.a LOG-4.b]",
    () =>
      Effect.gen(function* () {
        const { host, log } = recording(() => Effect.never)
        const opening = yield* Effect.forkChild(open(host, { discovery: "request", timeout: "1m30s" }))
        yield* TestClock.adjust("90 seconds")
        const { lines, tools } = yield* Fiber.join(opening)
        assert.deepStrictEqual(tools, [])
        assert.deepStrictEqual(lines, ["[acp] client tools: session s: no answer within 1m30s"])
        assert.deepStrictEqual(log, ["request _org.mini-me/tools/list", "cancel _org.mini-me/tools/list"])
      })
  )

  it.effect("fails when the connection is gone, and says nothing more [ERR-4.a]", () =>
    Effect.gen(function* () {
      const { host, log } = recording(() => Effect.fail(new Host.ConnectionClosed()))
      const session = yield* open(host)
      const exit = yield* Effect.exit(session.call(requested))
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(log, ["tool_call pending", "tool_call_update in_progress", "request _t/a"])
    })
  )

  it.effect("takes a client's own -32800, or half a result, for what it says [ERR-5.a ERR-5.b]", () =>
    Effect.gen(function* () {
      const error = new Host.RequestRejected({ code: -32800, message: "Request cancelled", data: null })
      const stopped = yield* open({ request: () => Effect.fail(error) })
      assert.deepStrictEqual(yield* stopped.call(requested), {
        text: '[client tool error: {"code":-32800,"message":"Request cancelled"}]',
        failed: true
      })
      const half = yield* open({
        request: () => Effect.succeed({ content: [{ type: "text", text: "ha" }], partial: true })
      })
      assert.deepStrictEqual(yield* half.call(requested), { text: "ha", failed: false })
    })
  )

  it.effect("keeps the names of the agent's own tools for the agent [LIST-5.a]", () =>
    Effect.gen(function* () {
      const { host } = recording(() => Effect.succeed("ran"))
      const tools = ClientTools.fromInitialize(initialize(list), { host, reserved: ["client_a"] })
      assert.deepStrictEqual(tools.lines, [
        '[acp] client tools: entry 0 skipped: duplicate tool name "client_a"',
        "[acp] client tools (meta): (none)"
      ])
      assert.deepStrictEqual((yield* tools.openSession({ sessionId: "s", cwd: "/" })).declarations, [])
    })
  )

  it.effect(
    "runs a tool of another kind through the same steps: check, permission, timeout, cut, report [OWN-1.a]",
    () =>
      Effect.gen(function* () {
        const { host, log } = recording(() => Effect.never)
        const asked: Array<string | null | undefined> = []
        const session = yield* open({
          ...host,
          askPermission: ({ toolCall }) => {
            asked.push(toolCall.title)
            return Effect.succeed({ outcome: { outcome: "selected", optionId: "allow" } })
          }
        })
        const clock: Tool.Tool = {
          declaration: { name: "clock", description: "The time.", parameters: { type: "object", properties: {} } },
          source: "host",
          requiredParameters: ["zone"],
          title: "clock",
          kind: "read",
          permissions: "ask",
          permissionKey: "clock",
          timeout: { text: "5s", milliseconds: 5_000 },
          execute: ({ zone }) =>
            zone === "nowhere" ? Effect.never : Effect.succeed({ kind: "result", result: "noon".repeat(100) })
        }
        const make = (toolCallId: string, args: unknown) =>
          ToolCall.make(clock, { toolCallId, name: "clock", arguments: args }, { ...session.context, maxOutput: 4 })
        const calls = [make("1", { zone: "UTC" }), make("2", {}), make("3", { zone: "nowhere" })]
        const running = yield* Effect.forkChild(ToolCall.runAll(calls))
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(running)
        const results = yield* Effect.forEach(calls, (call) => call.end(true))
        assert.deepStrictEqual(results, [
          { text: "noon", failed: false },
          { text: "[cli", failed: true },
          { text: "[cli", failed: true }
        ])
        assert.deepStrictEqual(asked, ["clock", "clock"])
        assert.sameMembers(log, [
          ...Array(3).fill("tool_call pending"),
          ...Array(2).fill("tool_call_update in_progress"),
          "tool_call_update completed",
          ...Array(2).fill("tool_call_update failed")
        ])
      })
  )

  it.effect(
    "gives each call one result when it is interrupted, what ended before included, and tells a journal [TURN-3.a TURN-3.b]",
    () =>
      Effect.gen(function* () {
        const { host } = recording((_, params) => (params["q"] === 2 ? Effect.succeed("two") : Effect.never))
        const session = yield* open(host)
        const journal: Array<string> = []
        const calls = [1, 2, 3].map((q) =>
          ToolCall.make(
            session.byModelName.get("client_a"),
            { toolCallId: `${q}`, name: "client_a", arguments: { q } },
            {
              ...session.context,
              journal: {
                begun: (id) => Effect.sync(() => void journal.push(`begun ${id}`)),
                ended: (id, { text }) => Effect.sync(() => void journal.push(`${id}: ${text}`))
              }
            }
          )
        )
        const running = yield* Effect.forkChild(ToolCall.runAll(calls))
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(running)
        const cancelled = "[client tool error: cancelled]"
        assert.deepStrictEqual(journal, [
          "begun 1",
          "begun 2",
          "2: two",
          "begun 3",
          `1: ${cancelled}`,
          `3: ${cancelled}`
        ])
      })
  )

  it.effect("tells a journal of each step before the client hears of it", () =>
    Effect.gen(function* () {
      const { host, log } = recording(() => Effect.succeed("ran"))
      const session = yield* open(host)
      const journal: ToolCall.Journal = {
        begun: () => Effect.sync(() => void log.push("kept: begun")),
        ended: () => Effect.sync(() => void log.push("kept: ended"))
      }
      const tool = session.byModelName.get("client_a")
      yield* ToolCall.runAll([ToolCall.make(tool, requested, { ...session.context, journal })])
      assert.deepStrictEqual(log, [
        "tool_call pending",
        "kept: begun",
        "tool_call_update in_progress",
        "request _t/a",
        "kept: ended",
        "tool_call_update completed"
      ])
    })
  )

  it.effect("takes a fault of a tool for the failure of that call alone [REPORT-1.d]", () =>
    Effect.gen(function* () {
      const { host, log } = recording(() => Effect.succeed("ran"))
      const session = yield* open(host)
      const sound = session.byModelName.get("client_a")
      assert(sound !== undefined)
      const broken: Tool.Tool = {
        ...sound,
        execute: () => {
          throw new Error("boom")
        }
      }
      const calls = [broken, sound].map((tool, index) =>
        ToolCall.make(tool, { ...requested, toolCallId: `${index}` }, session.context)
      )
      yield* ToolCall.runAll(calls)
      const results = yield* Effect.forEach(calls, (call) => call.end(true))
      assert.deepStrictEqual(results, [
        { text: '[client tool error: {"code":-32603,"message":"the tool failed: boom"}]', failed: true },
        { text: "ran", failed: false }
      ])
      assert.lengthOf(
        log.filter((line) => /completed|failed/.test(line)),
        2
      )
    })
  )

  it("says what is wrong with settings", () => {
    const decoded = ClientTools.decodeSettings({ timeout: "soon", maxOutput: 0, loopDetector: { flagAfter: 6 } })
    assert(decoded._tag === "Failure")
    assert.match(
      decoded.failure,
      /timeout: "soon" is not accepted; it takes a duration.*\nmaxOutput: 0 is not accepted/
    )
  })
})
