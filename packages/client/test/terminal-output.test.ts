/** The end of a command's output, without a command. */
import { assert, describe, it } from "vitest"
import * as TerminalOutput from "../src/node/TerminalOutput.ts"

const read = (limit: number, ...pieces: ReadonlyArray<string>) => {
  const output = TerminalOutput.make(limit)
  pieces.forEach(output.append)
  return output.read()
}

describe("the output of a terminal", () => {
  it("is whole up to its limit", () => {
    assert.deepStrictEqual(read(5), { output: "", truncated: false })
    assert.deepStrictEqual(read(5, "a", "", "ää"), { output: "aää", truncated: false })
  })

  it("loses its beginning beyond it, by whole characters", () => {
    assert.deepStrictEqual(read(4, "aä", "äb"), { output: "äb", truncated: true })
    assert.deepStrictEqual(read(5, "aäb", "cde"), { output: "bcde", truncated: true })
    assert.deepStrictEqual(read(7, "a😀😀"), { output: "😀", truncated: true })
    assert.deepStrictEqual(read(3, "a😀"), { output: "", truncated: true })
    assert.deepStrictEqual(read(0, "a"), { output: "", truncated: true })
    assert.deepStrictEqual(read(1, "a", "b", ""), { output: "b", truncated: true })
    assert.deepStrictEqual(read(0), { output: "", truncated: false })
  })

  it("is the same however it comes", () => {
    const text = "0123456789 äöü €€ 😀😀 ".repeat(500)
    const expected = read(6_001, text)
    assert.isTrue(expected.truncated)
    assert.isTrue(text.endsWith(expected.output))
    assert.isAtLeast(Buffer.byteLength(expected.output), 5_998)
    assert.isAtMost(Buffer.byteLength(expected.output), 6_001)
    assert.deepStrictEqual(read(6_001, ...Array.from(text)), expected)
    assert.deepStrictEqual(read(6_001, ...(text.match(/.{1,7}/gu) ?? [])), expected)
  })

  it("can be read while it goes on", () => {
    const output = TerminalOutput.make(4)
    const seen = ["ab", "cd", "ef"].map((piece) => {
      output.append(piece)
      return output.read().output
    })
    assert.deepStrictEqual(seen, ["ab", "abcd", "cdef"])
  })

  it("of any amount takes bounded memory", () => {
    const output = TerminalOutput.make(1024 * 1024)
    const text = "x".repeat(64 * 1024)
    const before = process.memoryUsage().arrayBuffers
    for (let n = 0; n < 4 * 1024; n++) output.append(text)
    // 256 MiB came; a share of it may wait for the collector.
    assert.isBelow(process.memoryUsage().arrayBuffers - before, 128 * 1024 * 1024)
    assert.strictEqual(output.read().output.length, 1024 * 1024)
  })
})
