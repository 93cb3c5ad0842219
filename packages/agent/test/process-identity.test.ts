/** Whether a process that is named in a lock still lives. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { setImmediate as turn } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import * as ProcessIdentity from "../src/node/ProcessIdentity.ts"

const { decode, isSelf, self, state } = ProcessIdentity

describe("the owner of a lock", () => {
  it("is this process, read back from what was written [SESS-1.j]", () => {
    const again = decode(JSON.stringify(self()))
    assert(again !== undefined)
    assert.isTrue(isSelf(again))
    assert.strictEqual(state(again), "alive")
  })

  it("is dead when there is no such process, or another of its id [SESS-1.k]", async () => {
    const ended = spawn(process.execPath, ["-e", ""])
    await once(ended, "exit")
    assert.strictEqual(state({ ...self(), pid: ended.pid ?? 0 }), "dead")
    assert.strictEqual(state({ ...self(), started: "long ago" }), "dead")
  })

  it("is dead when it has ended and nobody took note [SESS-1.k]", async () => {
    // The shell becomes a program that takes note of no child.
    const parent = spawn("/bin/sh", [
      "-c",
      `"$0" -e "" & echo $!; exec "$0" -e "process.stdin.resume()"`,
      process.execPath
    ])
    const [line] = await once(createInterface({ input: parent.stdout }), "line")
    const pid = Number(line)
    const isEntryOnly = () => process.platform !== "linux" || readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
    while (!isEntryOnly()) await turn()
    assert.strictEqual(process.platform === "linux" ? state({ ...self(), pid, started: "" }) : "dead", "dead")
    parent.kill("SIGKILL")
  })

  it("cannot be seen from another machine or another container, and did not outlive this one's restart [SESS-1.j SESS-1.k]", () => {
    assert.strictEqual(state({ ...self(), space: "pid:[1]" }), "elsewhere")
    assert.strictEqual(state({ ...self(), boot: "other", host: "other" }), "elsewhere")
    assert.strictEqual(state({ ...self(), boot: "other" }), "dead")
  })

  it("is nobody for a text that names none", () => {
    for (const text of ["", "7", "{}", "garbage", JSON.stringify({ ...self(), pid: "1" })])
      assert.isUndefined(decode(text))
  })
})
