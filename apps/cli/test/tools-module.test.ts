/** Tools modules that cannot be used: one sentence each, and exit code 2. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as ToolsModule from "../src/ToolsModule.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "acp-client-tools-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

describe("a tools module", () => {
  it.effect.each([
    ["that is not there", undefined, "there is no such tools module"],
    ["that throws", "throw new Error('not\\ntoday')", "the tools module does not load: not"],
    ["that throws what says nothing", "throw Object.create(null)", "the tools module does not load: no reason given"],
    [
      "that exports what cannot be read",
      "export default new Proxy([], { get() { throw new Error('closed') } })",
      "the definitions cannot be read: closed"
    ],
    ["that exports nothing", "export const tools = []", "the default export must be an array of tool definitions"],
    [
      "whose schema cannot be compiled",
      "export default [{ name: 'a', inputSchema: { type: 'object', properties: 7 }, execute() {} }]",
      'tool 1 ("a"): inputSchema cannot be compiled: schema is invalid: data/properties must be object'
    ]
  ] as const)("%s is refused with a sentence [CLI-4.c CLIENT-1.g]", ([, source, sentence]) =>
    Effect.gen(function* () {
      const file = join(yield* folder, "tools.mjs")
      if (source !== undefined) yield* Effect.promise(() => writeFile(file, source))
      const { exitCode, message } = yield* Effect.flip(ToolsModule.read(file))
      assert.deepStrictEqual({ exitCode, message }, { exitCode: 2, message: `${file}: ${sentence}` })
    })
  )
})

describe("a tools module that waits at its top for ever", () => {
  it.effect("is given up after 10 s, with a message [CLI-4.c]", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "tools.mjs")
      const begun = Promise.withResolvers<void>()
      Object.assign(globalThis, { toolsModuleBegun: begun.resolve })
      yield* Effect.promise(() => writeFile(file, "toolsModuleBegun(); await new Promise(() => {}); export default []"))
      const reading = yield* Effect.forkChild(Effect.flip(ToolsModule.read(file)))
      yield* Effect.promise(() => begun.promise)
      yield* TestClock.adjust("10 seconds")
      const { exitCode, message } = yield* Fiber.join(reading)
      assert.strictEqual(message, `${file}: the tools module did not load within 10 s`)
      assert.strictEqual(exitCode, 2)
    })
  )
})
