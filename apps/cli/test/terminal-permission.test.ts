/** A permission question at a terminal made of two streams. */
import { PassThrough } from "node:stream"
import { describe, expect, it } from "vitest"
import * as TerminalPermission from "../src/TerminalPermission.ts"

const request = {
  sessionId: "s",
  toolCall: { toolCallId: "1", title: "client: a\u001b[31m", rawInput: { q: 1 } },
  options: [
    { optionId: "yes", name: "Allow", kind: "allow_once" as const },
    { optionId: "no", name: "Reject\n", kind: "reject_once" as const }
  ]
}

const terminal = () => {
  const input = new PassThrough()
  const output = new PassThrough()
  let shown = ""
  const asked = Promise.withResolvers<void>()
  output.setEncoding("utf8").on("data", (text: string) => {
    shown += text
    if (shown.includes("Your choice")) asked.resolve()
  })
  const interrupted = Promise.withResolvers<void>()
  const policy = TerminalPermission.ask({
    input,
    output,
    freshLine: () => output.write("\n"),
    interrupt: interrupted.resolve
  })
  return { policy, input, asked: asked.promise, interrupted: interrupted.promise, shown: () => shown }
}

describe("a permission question at the terminal", () => {
  it.each([
    ["1", "yes"],
    [" 2 ", "no"],
    ["3", undefined],
    ["0x1", undefined],
    ["", undefined]
  ])("answered %j chooses %j", async (typed, chosen) => {
    const { asked, input, policy } = terminal()
    const answer = policy(request, new AbortController().signal)
    await asked
    input.write(`${typed}\n`)
    expect(await answer).toBe(chosen)
  })

  it("is asked though the one before it could not be", async () => {
    const input = new PassThrough()
    const output = new PassThrough()
    const shown = new Promise((resolve) => output.on("data", resolve))
    let isBroken = true
    const freshLine = () => {
      if (isBroken) throw new Error("the terminal is gone")
    }
    const policy = TerminalPermission.ask({ input, output, freshLine, interrupt: () => undefined })
    await expect(policy(request, new AbortController().signal)).rejects.toThrow("the terminal is gone")
    isBroken = false
    const second = policy(request, new AbortController().signal)
    await shown
    input.write("1\n")
    expect(await second).toBe("yes")
  })

  it("shows what is asked, without the agent's control characters", async () => {
    const { asked, input, policy, shown } = terminal()
    const answer = policy(request, new AbortController().signal)
    await asked
    input.write("1\n")
    await answer
    expect(shown()).toContain('run "client: a\\u001b[31m" with {"q":1}')
    expect(shown()).toContain("2  Reject\\n")
    // On a line of its own: what stood there would be cleared.
    expect(shown()).toMatch(/^\n/)
  })

  it("lets Ctrl-C through, and is withdrawn by the cancel that follows [CLI-4.i]", async () => {
    const { asked, input, interrupted, policy } = terminal()
    const cancel = new AbortController()
    const answer = policy(request, cancel.signal)
    await asked
    input.write("\u0003")
    await interrupted
    cancel.abort()
    expect(await answer).toBe(undefined)
  })
})
