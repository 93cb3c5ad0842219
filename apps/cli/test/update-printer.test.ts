/** What a turn looks like to people. */
import { assert, describe, it } from "vitest"
import * as UpdatePrinter from "../src/UpdatePrinter.ts"

/** What stands on stdout after the agent's text came in these chunks. */
const shown = (...chunks: ReadonlyArray<string>): string => {
  let written = ""
  const write = (text: string) => {
    // Each text becomes bytes by itself.
    written += Buffer.from(text).toString()
  }
  const printer = UpdatePrinter.text(write, () => undefined, true)
  for (const text of chunks) {
    const update = { sessionUpdate: "agent_message_chunk" as const, content: { type: "text" as const, text } }
    printer.update({ sessionId: "s", update })
  }
  printer.freshLine()
  return written
}

describe("the agent's words", () => {
  it("keep a character whose halves come in two chunks", () => {
    assert.strictEqual(shown("a\ud83d", "\ude00b"), "a😀b\n")
    assert.strictEqual(shown("\ud83d", "\ude00"), "😀\n")
  })

  it("show half a character that stays alone for what it is", () => {
    assert.strictEqual(shown("a\ud83d"), "a\ufffd\n")
    assert.strictEqual(shown("a\ud83d", "b"), "a\ufffdb\n")
  })
})
