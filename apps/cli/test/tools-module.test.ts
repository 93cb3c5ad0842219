/** A tools module that never finishes loading. Time is the test's. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as ToolsModule from "../src/ToolsModule.ts"

describe("a tools module that waits at its top for ever", () => {
  it.effect("is given up after 10 s, with a message [CLI-4.c]", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "acp-client-tools-"))),
        (path) => Effect.promise(() => rm(path, { recursive: true }))
      )
      const file = join(folder, "tools.mjs")
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
