/** CLIENT-7, under load: an agent that writes more at once than anybody reads. */
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import * as Command from "../src/Command.ts"
import * as Folder from "../src/Folder.ts"
import * as Run from "../src/Run.ts"

const burstAgent: Command.Command = {
  command: process.execPath,
  args: [fileURLToPath(new URL("../src/BurstAgent.ts", import.meta.url))]
}

/** 256 MiB, in KiB. */
const MEMORY = 256 * 1024

it("100,000 updates in one go come whole and in order, in little memory, and calls and cancels get through [CLIENT-7.a CLIENT-7.b CLI-2.a]", async () => {
  await using folder = await Folder.make({
    // Not resourceUsage().maxRSS: a child inherits that from the process that started it.
    "tools.mjs": `import { readFileSync } from "node:fs"
    const peak = () => Number(/VmHWM:\\s+(\\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1])
    export default [
      { name: "echo", method: "_t/echo", execute: (args) => args },
      { name: "never", method: "_t/never", execute: () => new Promise(() => {}) },
      { name: "peak", method: "_t/peak", execute: peak }
    ]`
  })
  const flags = ["--tools", folder.path("tools.mjs"), "--json", "--prompt", "Hi"]
  const { args, command } = Command.client(flags, burstAgent)
  // Into a file: what waits for a busy reader would count as the client's memory.
  const toFile = ["-c", 'exec "$@" > "$0"', folder.path("out.jsonl"), command, ...args]
  const { exitCode, stderr } = await Run.toEnd({ command: "/bin/sh", args: toFile })
  expect(exitCode).toBe(0)
  const lines = (await readFile(folder.path("out.jsonl"), "utf8")).trimEnd().split("\n")
  expect(lines).toHaveLength(100_001)
  expect(lines.findIndex((line, n) => !line.includes(`"chunk ${n} "`))).toBe(100_000)
  const { 1: echo, 2: never, 3: peak } = JSON.parse(stderr)
  expect({ echo, never }).toEqual({ echo: { n: 25_000 }, never: -32800 })
  expect(peak).toBeLessThan(MEMORY)
})
