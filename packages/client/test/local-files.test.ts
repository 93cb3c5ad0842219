/** An agent's reading and writing of real files. */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { LocalFiles } from "../src/node/index.ts"

const made: Array<string> = []
afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** A session in an empty folder, beside another folder that is not the session's. */
const session = (options: LocalFiles.Options = {}, additionalDirectories: ReadonlyArray<string> = []) => {
  const both = realpathSync(mkdtempSync(join(tmpdir(), "local-files-")))
  made.push(both)
  const [cwd, outside] = [join(both, "in"), join(both, "out")]
  for (const folder of [cwd, outside]) mkdirSync(folder)
  const stop = new AbortController()
  const context = { sessionId: "s", cwd, additionalDirectories, signal: stop.signal }
  const files = LocalFiles.make(options)
  const said = (cause: { readonly code?: number; readonly message: string }) => {
    const where = cause.message.replaceAll(both, "")
    return cause.code === undefined ? where : `${cause.code} ${where}`
  }
  const read = (path: string, lines: { readonly line?: number; readonly limit?: number } = {}) =>
    files.readTextFile({ sessionId: "s", path, ...lines }, context).catch(said)
  const write = (path: string, content: string) =>
    files.writeTextFile({ sessionId: "s", path, content }, context).catch(said)
  const put = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(cwd, name), content)
    return join(cwd, name)
  }
  return { cwd, outside, read, write, put, stop }
}

const leadsOut = (path: string, ...folders: ReadonlyArray<string>) =>
  `-32602 ${path} leads out of this session's folders; use a path in ${["/in", ...folders].join(" or ")}`

describe("reading a file", () => {
  it("gives its text byte for byte", async () => {
    const { put, read } = session()
    for (const text of ["", "a", "a\r\nb\rc\n\n", "\uFEFFäöü €\u2028😀\u0001"]) {
      assert.strictEqual(await read(put("a", text)), text)
    }
  })

  it("gives lines with their ends, from 1", async () => {
    const { put, read } = session()
    const file = put("a", "one\r\ntwo\n\nfour")
    assert.strictEqual(await read(file, { line: 2 }), "two\n\nfour")
    assert.strictEqual(await read(file, { limit: 1 }), "one\r\n")
    assert.strictEqual(await read(file, { line: 2, limit: 2 }), "two\n\n")
    assert.strictEqual(await read(file, { line: 4, limit: 4_294_967_295 }), "four")
    assert.strictEqual(await read(file, { line: 5 }), "")
    assert.strictEqual(await read(file, { line: 2, limit: 0 }), "")
    assert.strictEqual(await read(file, { line: 0 }), "-32602 line counts from 1")
  })

  it("finds lines wherever the chunks of a long file end", async () => {
    const { put, read } = session()
    const lines = Array.from({ length: 3_000 }, (_, n) => `${n} ${"ä".repeat(n % 97)}\n`)
    // A chunk has 64 KiB: one line begins with a chunk, one is longer than two of them.
    lines.splice(100, 0, `${"x".repeat(65_536 * 2)}\n`)
    lines.unshift(`${"x".repeat(65_535)}\n`)
    const file = put("a", lines.join(""))
    for (const line of [1, 2, 3, 101, 102, 103, 1_000, 3_002]) {
      assert.strictEqual(await read(file, { line, limit: 2 }), lines.slice(line - 1, line + 1).join(""))
    }
  })

  it("refuses one that is too long, and gives its lines", async () => {
    const { put, read } = session({ maxBytes: 10 })
    const file = put("a", "12345\n1234\n")
    const tooLong = "-32602 more than 10 bytes of /in/a were asked for; ask for fewer lines with line and limit"
    assert.strictEqual(await read(file), tooLong)
    assert.strictEqual(await read(file, { limit: 2 }), tooLong)
    assert.strictEqual(await read(file, { line: 2 }), "1234\n")
    assert.strictEqual(await read(put("b", "123456789\n")), "123456789\n")
  })

  it("reads no further than it must", async () => {
    const { put, read } = session()
    const file = put("a", "one\ntwo\n")
    // 4 TiB, which take no room on the disk.
    truncateSync(file, 4 * 1024 ** 4)
    assert.strictEqual(await read(file, { line: 2, limit: 1 }), "two\n")
    assert.match(await read(file), /more than 16777216 bytes of/)
  })

  it("refuses what is no text", async () => {
    const { put, read } = session()
    const notText = "-32602 /in/a is not text in UTF-8; look at it with a program that knows what it is"
    for (const bytes of [[97, 0, 98], [0xff, 0xfe, 97], [0xc3], [0xed, 0xa0, 0x80]]) {
      assert.strictEqual(await read(put("a", Uint8Array.from(bytes))), notText)
    }
    // Only what is asked for has to be text.
    const file = put("a", Uint8Array.from([97, 10, 0xff]))
    assert.strictEqual(await read(file, { limit: 1 }), "a\n")
    assert.strictEqual(await read(file, { line: 2 }), notText)
  })

  it("says what it cannot find", async () => {
    const { cwd, put, read } = session()
    put("a", "")
    assert.strictEqual(await read(join(cwd, "b")), "-32002 there is no file /in/b; check the path")
    assert.strictEqual(await read(join(cwd, "a/b")), "/in/a/b cannot be read: a part of the path is not a folder")
    assert.strictEqual(await read(cwd), "-32602 /in is a folder; name a file in it")
    symlinkSync("loop", join(cwd, "loop"))
    assert.strictEqual(await read(join(cwd, "loop")), "/in/loop cannot be read: its symbolic links lead in a circle")
    assert.match(await read(join(cwd, "a\0b")), /cannot be read/)
  })

  it("is given up when the request is withdrawn", async () => {
    const { put, read, stop } = session()
    const file = put("a", "one")
    truncateSync(file, 4 * 1024 ** 4)
    const reading = read(file, { line: 2 })
    stop.abort()
    assert.match(await reading, /abort/)
  })
})

describe("a pipe", () => {
  it("is refused and not waited for", async () => {
    const { cwd, read, write } = session()
    const pipe = join(cwd, "pipe")
    execFileSync("mkfifo", [pipe])
    const refused = "-32602 /in/pipe is a pipe, a socket or a device; only files can be read and written"
    assert.strictEqual(await read(pipe), refused)
    assert.strictEqual(await write(pipe, "text"), refused)
    assert.isTrue(statSync(pipe).isFIFO())
  })
})

describe("a path", () => {
  it("must be absolute", async () => {
    const { read, write } = session()
    for (const path of ["a", "./a", "", "~/a"]) {
      const refused = `-32602 ${JSON.stringify(path)} is not an absolute path; begin with a folder of this session, such as /in`
      assert.strictEqual(await read(path), refused)
      assert.strictEqual(await write(path, ""), refused)
    }
  })

  it("may lead through the session's folders and the client's roots", async () => {
    const other = session()
    const third = session()
    const { cwd, read } = session({ roots: [third.cwd] }, [other.cwd])
    assert.strictEqual(await read(other.put("a", "more")), "more")
    assert.strictEqual(await read(third.put("a", "root")), "root")
    assert.match(await read(join(cwd, "../out/a")), /leads out of this session's folders; use a path in .* or .* or /)
  })

  it("does not lead out with `..`, nor by a name that begins alike", async () => {
    const { cwd, outside, read, write } = session()
    writeFileSync(join(outside, "a"), "secret")
    mkdirSync(`${cwd}side`)
    for (const path of [join(outside, "a"), `${cwd}/../out/a`, `${cwd}side/a`, "/", `${cwd}/..`]) {
      assert.include(await read(path), "leads out of this session's folders")
      assert.include(await write(path, "mine"), "leads out of this session's folders")
    }
    assert.strictEqual(readFileSync(join(outside, "a"), "utf8"), "secret")
    assert.deepStrictEqual(readdirSync(`${cwd}side`), [])
  })

  it("may begin with two dots that are a name", async () => {
    const { put, read } = session()
    assert.strictEqual(await read(put("..a", "text")), "text")
  })

  it("does not lead out with a symbolic link, to a file, through a folder, or to what is not there", async () => {
    const { cwd, outside, read, write } = session()
    writeFileSync(join(outside, "a"), "secret")
    symlinkSync(join(outside, "a"), join(cwd, "file"))
    symlinkSync("../out", join(cwd, "folder"))
    symlinkSync(join(outside, "new"), join(cwd, "dangling"))
    symlinkSync("dangling", join(cwd, "twice"))
    for (const path of ["file", "folder/a", "folder/new", "folder/new/new", "dangling", "twice", "dangling/new"]) {
      assert.strictEqual(await read(join(cwd, path)), leadsOut(`/in/${path}`))
      assert.strictEqual(await write(join(cwd, path), "mine"), leadsOut(`/in/${path}`))
    }
    assert.strictEqual(readFileSync(join(outside, "a"), "utf8"), "secret")
    assert.deepStrictEqual(readdirSync(outside), ["a"])
  })

  it("may go through symbolic links that stay inside, and the session's folder may be one", async () => {
    const { cwd, outside, put } = session()
    put("a", "text")
    symlinkSync(cwd, join(outside, "link"))
    const context = {
      sessionId: "s",
      cwd: join(outside, "link"),
      additionalDirectories: [],
      signal: new AbortController().signal
    }
    const read = (path: string) => LocalFiles.make().readTextFile({ sessionId: "s", path }, context)
    assert.strictEqual(await read(join(outside, "link", "a")), "text")
    assert.strictEqual(await read(join(cwd, "a")), "text")
  })
})

describe("writing a file", () => {
  it("creates it with the folders it needs", async () => {
    const { cwd, write } = session()
    const file = join(cwd, "new/newer/a")
    assert.isUndefined(await write(file, "ä\r\n"))
    assert.strictEqual(readFileSync(file, "utf8"), "ä\r\n")
    assert.deepStrictEqual(readdirSync(join(cwd, "new/newer")), ["a"])
  })

  it("replaces what is there and keeps its mode", async () => {
    const { cwd, put, write } = session()
    const file = put("a", "a long text that was there")
    chmodSync(file, 0o777)
    await write(file, "short")
    assert.strictEqual(readFileSync(file, "utf8"), "short")
    assert.strictEqual(statSync(file).mode & 0o777, 0o777)
    assert.deepStrictEqual(readdirSync(cwd), ["a"])
  })

  it("goes where a symbolic link leads", async () => {
    const { cwd, put, write } = session()
    const file = put("a", "old")
    symlinkSync("a", join(cwd, "link"))
    symlinkSync("folder/new", join(cwd, "dangling"))
    // A relative link is relative to where it is, not to how it was reached.
    mkdirSync(join(cwd, "deep/deeper"), { recursive: true })
    symlinkSync("deep/deeper", join(cwd, "deeper"))
    symlinkSync("../new", join(cwd, "deep/deeper/up"))
    await write(join(cwd, "link"), "new")
    await write(join(cwd, "dangling"), "new")
    await write(join(cwd, "deeper/up"), "new")
    assert.strictEqual(readFileSync(file, "utf8"), "new")
    assert.strictEqual(readFileSync(join(cwd, "folder/new"), "utf8"), "new")
    assert.strictEqual(readFileSync(join(cwd, "deep/new"), "utf8"), "new")
    assert.sameMembers(readdirSync(cwd), ["a", "dangling", "deep", "deeper", "folder", "link"])
  })

  it("leaves nothing behind when it is withdrawn", async () => {
    const { cwd, put, stop, write } = session()
    const file = put("a", "old")
    const writing = write(file, "new".repeat(1_000_000))
    stop.abort()
    assert.match(String(await writing), /abort/)
    assert.strictEqual(readFileSync(file, "utf8"), "old")
    assert.deepStrictEqual(readdirSync(cwd), ["a"])
  })

  it("says why it fails, and leaves nothing behind", async () => {
    const { cwd, put, write } = session()
    // The longest name that a file may have.
    const name = "n".repeat(255)
    put("a", "")
    assert.isUndefined(await write(join(cwd, name), "text"))
    assert.strictEqual(
      await write(join(cwd, `${name}n`), "text"),
      `/in/${name}n cannot be written: its name is too long`
    )
    assert.strictEqual(
      await write(join(cwd, "a/b"), "text"),
      "/in/a/b cannot be written: a part of the path is not a folder"
    )
    assert.strictEqual(await write(cwd, "text"), "-32602 /in is a folder; name a file in it")
    assert.sameMembers(readdirSync(cwd), ["a", name])
  })

  it("happens in the order it was asked for, as does reading", async () => {
    const { put, read, write } = session()
    const file = put("a", "old")
    const big = "x".repeat(4 * 1024 * 1024)
    const [, , text] = await Promise.all([write(file, big), write(file, "last"), read(file)])
    assert.strictEqual(text, "last")
    assert.strictEqual(readFileSync(file, "utf8"), "last")
  })

  it("leaves a file alone that its user must not write; root may write any", async () => {
    const { put, write } = session()
    const file = put("a", "old")
    chmodSync(file, 0o444)
    const mayWrite = process.getuid?.() === 0
    assert.strictEqual(await write(file, "new"), mayWrite ? undefined : "/in/a cannot be written: permission denied")
    assert.strictEqual(readFileSync(file, "utf8"), mayWrite ? "new" : "old")
  })
})
