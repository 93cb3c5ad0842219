/** The files of this machine, as the agent's own tools see them. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll, beforeAll } from "vitest"
import { LocalFiles } from "../src/node/index.ts"

const outer = realpathSync(mkdtempSync(join(tmpdir(), "acp-local-files-")))
const cwd = join(outer, "inside")
const files = LocalFiles.make()

beforeAll(() => {
  mkdirSync(join(cwd, "folder"), { recursive: true })
  mkdirSync(join(outer, "inside-too"))
  writeFileSync(join(outer, "secret.txt"), "secret")
  writeFileSync(join(outer, "inside-too", "a.txt"), "secret")
  writeFileSync(join(cwd, "three.txt"), "one\r\ntwo\nthrée")
  writeFileSync(join(cwd, "folder", "b.txt"), "b")
  writeFileSync(join(cwd, "binary"), Buffer.from([1, 2, 0, 3]))
  writeFileSync(join(cwd, "latin1"), Buffer.from("é", "latin1"))
  writeFileSync(join(cwd, "empty"), "")
  // 16 MiB and a little, most of it one line that is a hole; its first line is short.
  writeFileSync(join(cwd, "huge"), `first\nsecond\n${"x".repeat(16 * 1024 * 1024)}`)
  writeFileSync(join(cwd, "holes"), "")
  truncateSync(join(cwd, "holes"), 8 * 1024 ** 3)
  symlinkSync(join(outer, "secret.txt"), join(cwd, "link-out"))
  symlinkSync(outer, join(cwd, "folder-out"))
  symlinkSync("three.txt", join(cwd, "link-in"))
  symlinkSync("nowhere", join(cwd, "dangling"))
  symlinkSync("circle", join(cwd, "circle"))
  execFileSync("mkfifo", [join(cwd, "pipe")])
})
afterAll(() => rmSync(outer, { recursive: true }))

const read = (path: string, lines: { readonly line?: number; readonly limit?: number } = {}) =>
  files.read({ cwd, path, ...lines })
const refusal = (path: string, lines = {}) => Effect.map(Effect.flip(read(path, lines)), ({ message }) => message)

describe("a text file is read", () => {
  it.effect("whole and byte for byte, by a path from the folder, an absolute one, or a link inside [OWN-2.b]", () =>
    Effect.gen(function* () {
      const whole = "one\r\ntwo\nthrée"
      for (const path of ["three.txt", "./folder/../three.txt", join(cwd, "three.txt"), "link-in"]) {
        assert.strictEqual(yield* read(path), whole)
      }
      assert.strictEqual(yield* read("empty"), "")
    })
  )

  it.effect("in lines, line ends included; behind the last there is nothing", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read("three.txt", { line: 2 }), "two\nthrée")
      assert.strictEqual(yield* read("three.txt", { limit: 1 }), "one\r\n")
      assert.strictEqual(yield* read("three.txt", { line: 2, limit: 1 }), "two\n")
      assert.strictEqual(yield* read("three.txt", { line: 3, limit: 9 }), "thrée")
      assert.strictEqual(yield* read("three.txt", { line: 4, limit: 9 }), "")
    })
  )

  it.effect("in parts where it is too long to be read whole, as far as 16 MiB go", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read("huge", { line: 2, limit: 1 }), "second\n")
      const why = "more than 16777216 bytes of huge were asked for; ask for fewer lines with line and limit"
      assert.strictEqual(yield* refusal("huge"), why)
      assert.strictEqual(yield* refusal("huge", { line: 3, limit: 2 }), why)
      assert.strictEqual(
        yield* refusal("holes", { line: 1, limit: 1 }),
        `holes is not text in UTF-8; look at it with a program that knows what it is`
      )
    })
  )
})

describe("a path leads out of the folder", () => {
  it.effect.each([
    "..",
    "../secret.txt",
    "folder/../../secret.txt",
    "link-out",
    "folder-out/secret.txt",
    "../inside-too/a.txt",
    "/etc/passwd"
  ])("neither by .. nor by a symbolic link: %s [OWN-2.b]", (path) =>
    Effect.gen(function* () {
      const out = `${path} leads out of this session's folders; use a path in ${cwd}`
      assert.strictEqual(yield* refusal(path), out)
      const list = yield* Effect.flip(files.list({ cwd, path }))
      assert.strictEqual(list.message, out)
    })
  )
})

describe("what is no text file is refused in a sentence, at once", () => {
  it.effect.each([
    ["nothing.txt", "nothing.txt cannot be read: there is no such file"],
    ["dangling", "dangling cannot be read: there is no such file"],
    ["circle", "circle cannot be read: its symbolic links lead in a circle"],
    ["three.txt/x", "three.txt/x cannot be read: a part of the path is not a folder"],
    ["folder", "folder is a folder; name a file in it"],
    ["pipe", "pipe is a pipe, a socket or a device; only files can be read and written"],
    ["binary", "binary is not text in UTF-8; look at it with a program that knows what it is"],
    ["latin1", "latin1 is not text in UTF-8; look at it with a program that knows what it is"],
    ["nul\u0000byte", undefined]
  ] as const)("%s", ([path, why]) =>
    Effect.gen(function* () {
      const said = yield* refusal(path)
      if (why === undefined) assert.include(said, `${path} cannot be read: `)
      else assert.strictEqual(said, why)
    })
  )
})

describe("a folder is listed", () => {
  it.effect("sorted, with what each thing is [OWN-2.b]", () =>
    Effect.gen(function* () {
      const entries = yield* files.list({ cwd, path: "." })
      assert.deepStrictEqual(
        entries.map(({ kind, name }) => `${name}:${kind}`),
        [
          "binary:file",
          "circle:link",
          "dangling:link",
          "empty:file",
          "folder:folder",
          "folder-out:link",
          "holes:file",
          "huge:file",
          "latin1:file",
          "link-in:link",
          "link-out:link",
          "pipe:other",
          "three.txt:file"
        ]
      )
      assert.deepStrictEqual(yield* files.list({ cwd, path: "folder" }), [{ name: "b.txt", kind: "file" }])
    })
  )

  it.effect("and nothing else is", () =>
    Effect.gen(function* () {
      const why = (path: string) => Effect.map(Effect.flip(files.list({ cwd, path })), ({ message }) => message)
      assert.strictEqual(yield* why("three.txt"), "three.txt is no folder; name one")
      assert.strictEqual(yield* why("nowhere"), "nowhere cannot be listed: there is no such file")
    })
  )
})
