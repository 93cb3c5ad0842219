/**
 * Our client with Gemini CLI, an agent by others that knows nothing of the extension, around a scripted model server on this
 * machine. Run by `pnpm test:peers`, which fetches it from the npm registry into a folder of its own; no key, and no other network.
 */
import { access } from "node:fs/promises"
import { createServer, type Server } from "node:net"
import type { Json } from "@acp-client-tools/protocol"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Folder from "../src/Folder.ts"
import * as GeminiServer from "../src/GeminiServer.ts"
import * as PeerRun from "../src/PeerRun.ts"
import * as Run from "../src/Run.ts"
import * as Wire from "../src/Wire.ts"

const version = "0.61.0"

const shell = (command: string): Json.JsonObject => ({ functionCall: { name: "run_shell_command", args: { command } } })

const runsACommand: ReadonlyArray<GeminiServer.Step> = [
  { parts: [{ text: "I shall " }, { text: "write it down.\n" }, shell("echo written > note.txt; cat note.txt")] },
  { parts: [{ text: "So " }, { text: "much for that." }] }
]

const said = ({ wire }: PeerRun.Outcome): string =>
  Wire.updates(wire)
    .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
    .map(Wire.updateText)
    .join("")

/** A port that a command of the agent connects to: when it runs, and when it is gone. */
const lifeLine = async () => {
  const runs = Promise.withResolvers<void>()
  const isGone = Promise.withResolvers<void>()
  const server = await new Promise<Server>((resolve) => {
    const listening: Server = createServer((socket) => {
      socket.on("error", () => undefined).on("close", () => isGone.resolve())
      socket.resume()
      runs.resolve()
    }).listen(0, "127.0.0.1", () => resolve(listening))
  })
  const address = server.address()
  const port = typeof address === "object" ? address?.port : 0
  return {
    command: `"${process.execPath}" -e "require('node:net').connect(${port}, '127.0.0.1')"`,
    runs: runs.promise,
    isGone: isGone.promise,
    [Symbol.dispose]: () => void server.close()
  }
}

describe.concurrent(`Gemini CLI ${version}`, () => {
  let installed: Folder.Folder

  beforeAll(async () => {
    installed = await Folder.make({ "package.json": JSON.stringify({ private: true }) })
    const args = ["install", "--omit=optional", "--no-audit", "--no-fund", `@google/gemini-cli@${version}`]
    const options = { cwd: installed.path("."), shell: process.platform === "win32" }
    const { exitCode, stderr } = await Run.toEnd({ command: "npm", args }, options)
    expect({ exitCode }, stderr).toEqual({ exitCode: 0 })
  }, 300_000)

  afterAll(() => installed[Symbol.asyncDispose]())

  /** A home without anything of the user's, which is the working directory as well; `run` gives the client a prompt. */
  const home = async (server: GeminiServer.GeminiServer) => {
    const settings = {
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false }
    }
    const folder = await Folder.make({
      ".gemini/settings.json": JSON.stringify(settings),
      "tools.mjs": `export default [{ name: "branch", execute: () => "main" }]`
    })
    const bundle = installed.path("node_modules/@google/gemini-cli/bundle/gemini.js")
    const env = {
      GEMINI_API_KEY: "none",
      GEMINI_CLI_HOME: folder.path("."),
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GOOGLE_GEMINI_BASE_URL: server.url,
      HOME: folder.path(".")
    }
    return {
      run: (flags: ReadonlyArray<string>, options: PeerRun.Options = {}): Promise<PeerRun.Outcome> =>
        PeerRun.toEnd(
          { command: process.execPath, args: [bundle, "--acp", "--model", "gemini-2.5-flash"] },
          [...flags, "--prompt", "Take a note"],
          { cwd: folder.path("."), env, ...options }
        ),
      isWritten: () =>
        access(folder.path("note.txt")).then(
          () => true,
          () => false
        ),
      [Symbol.asyncDispose]: folder[Symbol.asyncDispose]
    }
  }

  it.each([
    ["allow", "meta", true],
    ["deny", "request", false]
  ] as const)(
    "runs a turn with tools and --permission %s in mode %s to its end",
    async (permission, mode, isAllowed) => {
      await using server = await GeminiServer.start(runsACommand)
      await using agent = await home(server)
      const outcome = await agent.run([
        "--json",
        "--tools",
        "tools.mjs",
        "--discovery",
        mode,
        "--permission",
        permission
      ])
      const lines = PeerRun.lines(outcome)
      expect(lines).toEqual(PeerRun.expectedLines(outcome))
      expect(lines.at(-1)).toMatchObject({ stopReason: "end_turn" })
      expect(outcome).toMatchObject({ exitCode: 0 })
      expect(said(outcome)).toBe("I shall write it down.\nSo much for that.")
      expect(await agent.isWritten()).toBe(isAllowed)
      expect(JSON.stringify(GeminiServer.toolAnswers(server.requests.at(-1)))).toMatch(isAllowed ? /written/ : /cancel/)
      // It never heard of our tool, and its model neither.
      expect(PeerRun.askedFor(outcome)).toEqual(["session/request_permission"])
      expect(JSON.stringify(server.requests)).not.toContain('branch"')
    }
  )

  it.each(["meta", "request"])("runs a turn without tools in mode %s to its end, for people", async (mode) => {
    await using server = await GeminiServer.start(runsACommand)
    await using agent = await home(server)
    const outcome = await agent.run(["--discovery", mode, "--permission", "allow"])
    expect(outcome).toMatchObject({
      exitCode: 0,
      stdout: "I shall write it down.\nSo much for that.\n"
    })
    expect(outcome.stderr).toContain("[tool] echo written > note.txt; cat note.txt: completed\n")
    expect(await agent.isWritten()).toBe(true)
  })

  it("ends its turn on Ctrl-C while its model speaks", async () => {
    await using server = await GeminiServer.start([{ parts: [{ text: "Once upon a time" }], wait: true }])
    await using agent = await home(server)
    const outcome = await agent.run(["--json"], {
      onEntry: (entry, client) => {
        if (entry.line.includes("Once upon")) client.kill("SIGINT")
      }
    })
    expect(PeerRun.lines(outcome)).toEqual(PeerRun.expectedLines(outcome))
    expect(PeerRun.lines(outcome).at(-1)).toMatchObject({ stopReason: "cancelled" })
    expect(outcome).toMatchObject({ exitCode: 130 })
    await server.hungUp
  })

  it("ends its turn and its tool on Ctrl-C while the tool runs", async () => {
    using line = await lifeLine()
    await using server = await GeminiServer.start([{ parts: [shell(line.command)] }])
    await using agent = await home(server)
    const outcome = await agent.run(["--json", "--tools", "tools.mjs", "--permission", "allow"], {
      onStart: (client) => void line.runs.then(() => client.kill("SIGINT"))
    })
    expect(PeerRun.lines(outcome)).toEqual(PeerRun.expectedLines(outcome))
    expect(PeerRun.lines(outcome).at(-1)).toMatchObject({ stopReason: "cancelled" })
    expect(outcome).toMatchObject({ exitCode: 130 })
    await line.isGone
  })

  it("fails when its model does, and the client says so in one sentence", async () => {
    await using server = await GeminiServer.start([])
    await using agent = await home(server)
    const outcome = await agent.run(["--tools", "tools.mjs"])
    expect(outcome).toMatchObject({ exitCode: 1, stdout: "" })
    expect(outcome.stderr).toMatch(/^the agent answered session\/prompt with an error: .+$/m)
  })
})
