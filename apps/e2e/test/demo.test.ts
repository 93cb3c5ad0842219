/** `pnpm demo` as a newcomer runs it, and with a tool that answers something else. */
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import * as Folder from "../src/Folder.ts"
import * as Run from "../src/Run.ts"
import { toolsFile } from "../src/demo/Story.ts"

const demo = (...args: ReadonlyArray<string>) =>
  Run.toEnd({
    command: process.execPath,
    args: [fileURLToPath(new URL("../src/demo/main.ts", import.meta.url)), ...args]
  })

it("shows both modes, a question, a failure and a cancelled call, and every check holds", async () => {
  const { exitCode, stderr, stdout } = await demo()
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
  expect(stdout).not.toContain("✗")
  expect(stdout).not.toContain('{"jsonrpc"')
  for (const shown of [
    '●────────────▶│             │  initialize, offering "todo_add", "todo_list", "open buffers"',
    "│             ■             │  [acp] client tools (meta): client_open_buffers, client_todo_add, client_todo_list",
    '│             ●────────────▶│  completed: "main.go\\nutil.go"',
    '│             ●────────────▶│  failed: "[client tool error: a to-do needs a text]"',
    '│◀────────────●             │  may I run "client: open buffers"? (session/request_permission)',
    "●────────────▶│             │  initialize: I have tools, ask me for them",
    '│             │◀────────────●  calls client_open_buffers {"language":"go"}',
    "│◀────────────●             │  too late, stop it ($/cancel_request)"
  ]) {
    expect(stdout).toContain(shown)
  }
})

it("shows what a changed tool answers, and says that it is off; --wire shows the JSON", async () => {
  const source = await readFile(toolsFile, "utf8")
  await using folder = await Folder.make({ "tools.ts": source.replace('"main.go", "util.go"', '"other.go"') })
  const { exitCode, stdout } = await demo("--wire", "--tools", folder.path("tools.ts"))
  expect(exitCode).toBe(1)
  expect(stdout).toContain('│             ●────────────▶│  completed: "other.go"')
  expect(stdout).toContain('✗ the model read "main.go\\nutil.go"')
  expect(stdout).toContain('✓ the model read "1. review main.go"')
  expect(stdout).toContain(
    '← {"jsonrpc":"2.0","id":0,"method":"_com.example/workspace/buffers","params":{"language":"go"'
  )
})

it("says so when there is nothing to show", async () => {
  const { exitCode, stdout } = await demo("--tools", "nowhere.ts")
  expect(exitCode).toBe(1)
  expect(stdout).toContain("nowhere.ts: there is no such tools module")
  expect(stdout).not.toContain("✗ ")
})
