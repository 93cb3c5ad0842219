/** The command as people type it. */
import { readdir, readFile } from "node:fs/promises"
import { createServer } from "node:http"
import { describe, expect, it } from "vitest"
import * as Command from "../src/Command.ts"
import * as Folder from "../src/Folder.ts"
import * as Run from "../src/Run.ts"

const steps = (...all: ReadonlyArray<object>): string => JSON.stringify({ steps: all })
const agentYaml = "model: {provider: script, script: ./steps.yaml}\nyolo: true\n"
const says = { "agent.yaml": agentYaml, "steps.yaml": steps({ text: "Hello." }) }
const nobody: Command.Command = { command: "no-such-agent", args: [] }

describe("client", () => {
  it("writes updates as JSON lines, the stop reason last, and nothing else [CLI-1.a CLI-2.a CLI-2.b CLI-2.c CLIENT-9.a]", async () => {
    await using folder = await Folder.make({
      "agent.yaml": agentYaml,
      "steps.yaml": steps({ thought: "Hm.", toolCalls: [{ name: "client_loud", arguments: {} }] }, { text: "Hello." }),
      "tools.mjs": `
        console.log("loaded")
        export default [{ name: "loud", execute: () => { console.log("called"); process.stdout.write("out\\n"); return 1 } }]
      `
    })
    const { exitCode, stderr, stdout } = await Run.toEnd(
      Command.client(
        [
          "--tools",
          folder.path("tools.mjs"),
          "--discovery",
          "meta",
          "--permission",
          "deny",
          "--json",
          "--prompt",
          "Hi",
          "--timeout",
          "1m"
        ],
        Command.agent(folder.path("agent.yaml"))
      )
    )
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines.map((line) => line.update?.sessionUpdate ?? line.stopReason)).toEqual([
      "available_commands_update",
      "session_info_update",
      "agent_thought_chunk",
      "tool_call",
      "tool_call_update",
      "tool_call_update",
      "agent_message_chunk",
      "end_turn"
    ])
    expect(Object.keys(lines.at(-1))).toEqual(["sessionId", "stopReason"])
    expect(stderr.split("\n")).toEqual(expect.arrayContaining(["loaded", "called", "out"]))
    expect(exitCode).toBe(0)
  })

  it("shows the agent's words on stdout and its tool calls on stderr", async () => {
    await using folder = await Folder.make({
      "agent.yaml": agentYaml,
      "steps.yaml": steps({ text: "One.", toolCalls: [{ name: "client_a", arguments: {} }] }, { text: "Two." }),
      "tools.mjs": `export default [{ name: "a", execute: () => 1 }]`
    })
    const { stderr, stdout } = await Run.toEnd(
      Command.client(["--tools", folder.path("tools.mjs"), "--prompt", "Hi"], Command.agent(folder.path("agent.yaml")))
    )
    expect(stdout).toBe("One.\nTwo.\n")
    expect(stderr.trimEnd().split("\n").slice(1)).toEqual([
      "[tool] client: a: pending",
      "[tool] client: a: in_progress",
      "[tool] client: a: completed"
    ])
  })

  it("takes a TypeScript module, one with its own copies of effect and of the client, and plain objects alike [CLI-1.e CLI-1.f CLIENT-1.h]", async () => {
    const names = ["typed", "plain", "made", "foreign"]
    await using folder = await Folder.make({
      "agent.yaml": agentYaml,
      "steps.yaml": steps(
        { toolCalls: names.map((name) => ({ name: `client_${name}`, arguments: { n: "1" } })) },
        { text: "{{toolResults}}" }
      ),
      "typed.ts": `const n: number = 1; export default { name: "typed", execute: (args: object): object => ({ n, args }) }`,
      "tools.mjs": `
        import bundled from "./bundled.mjs"
        import typed from "./typed.ts"
        export default [typed, { name: "plain", execute: (args) => ({ args }) }, ...bundled]
      `,
      "unmade.mjs": `import { unmade } from "./bundled.mjs"; export default [unmade]`
    })
    await ownCopies(folder.path("bundled.mjs"))
    const { exitCode, stdout } = await Run.toEnd(
      Command.client(["--tools", folder.path("tools.mjs"), "--prompt", "Hi"], Command.agent(folder.path("agent.yaml")))
    )
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: '{"n":1,"args":{"n":"1"}}\n{"args":{"n":"1"}}\n{"made":{"n":1}}\n{"foreign":{"n":"1"}}\n'
    })
    const unmade = await Run.toEnd(Command.client(["--tools", folder.path("unmade.mjs"), "--prompt", "Hi"], nobody))
    expect(unmade.exitCode).toBe(2)
    expect(unmade.stderr).toMatch(/tool 1 \("unmade"\): inputSchema was made by another copy of effect; define .*make/)
  })

  it("ends although a tools module left a timer running, and reports what it left to reject [CLI-4.a CLI-4.g CLIENT-4.e]", async () => {
    await using folder = await Folder.make({
      ...says,
      "steps.yaml": steps({ toolCalls: [{ name: "client_a", arguments: {} }] }, { text: "{{toolResults}}" }),
      "tools.mjs": `
        setInterval(() => {}, 1000)
        export default [{ name: "a", execute: async () => {
          void Promise.reject(new Error("left\\nbehind"))
          setTimeout(() => { throw new Error("thrown later") }, 0)
          await new Promise((resolve) => process.once("uncaughtException", resolve))
          return "fine"
        } }]
      `
    })
    const { exitCode, stderr, stdout } = await Run.toEnd(
      Command.client(["--tools", folder.path("tools.mjs"), "--prompt", "Hi"], Command.agent(folder.path("agent.yaml")))
    )
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "fine\n" })
    expect(stderr.split("\n").filter((line) => line.includes("left behind by a tool"))).toEqual([
      "an error was left behind by a tool: left\\nbehind",
      "an error was left behind by a tool: thrown later"
    ])
  })

  it.each([
    ["there is no prompt", [], "", "stdin is empty; it is the prompt when there is no --prompt\n"],
    [
      "a duration is wrong",
      ["--prompt", "Hi", "--timeout", "soon"],
      "",
      /^--timeout: "soon" is not a duration such as/
    ],
    ["a choice is wrong", ["--permission", "maybe"], "", /^Invalid value for flag --permission: "maybe"/],
    ["the prompt is blank", ["--prompt", " "], "", "--prompt is empty\n"],
    ["a flag is unknown", ["--promt", "Hi"], "", /--promt/]
  ])("exits with 2 and one message when %s [CLI-1.d CLI-4.c]", async (_, args, stdin, message) => {
    const { exitCode, stderr, stdout } = await Run.toEnd(Command.client(args, nobody), { stdin })
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" })
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/\n {4}at /)
  })

  it.each([
    [
      "does not parse",
      "export default [",
      /tools\.mjs: the tools module does not load: Unexpected.*; node --check .*tools\.mjs shows where/
    ],
    ["ends the process", "process.exit(3)", /tools\.mjs: the tools module ends the process while it loads$/],
    [
      "defines what an agent would skip",
      "export default [{ name: 'a', method: 'a' }, { name: 'b', execute() {} }, { name: 'b', execute() {} }]",
      /tools\.mjs: tool 1 \("a"\): method "a" must start.*\n.*tool 1 \("a"\): execute must be.*\n.*tool 3 \("b"\): duplicate tool name "client_b"\n.*duplicate method/
    ]
  ])(
    "exits with 2 and says what is wrong when the tools module %s [CLI-4.c CLIENT-1.g]",
    async (_, source, message) => {
      await using folder = await Folder.make({ "tools.mjs": source })
      const run = Command.client(["--tools", folder.path("tools.mjs"), "--prompt", "Hi"], nobody)
      const { exitCode, stderr, stdout } = await Run.toEnd(run)
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" })
      expect(stderr.trimEnd()).toMatch(message)
      expect(stderr).not.toMatch(/\n {4}at /)
    }
  )
})

describe("a client whose tools misbehave", () => {
  const run = async (execute: string, ...args: ReadonlyArray<string>) => {
    await using folder = await Folder.make({
      "agent.yaml": agentYaml,
      "steps.yaml": steps({ toolCalls: [{ name: "client_a", arguments: {} }] }, { text: "{{toolResults}}" }),
      "tools.mjs": `export default [{ name: "a", execute: async () => { ${execute}; return "fine" } }]`
    })
    const command = Command.client(
      ["--tools", folder.path("tools.mjs"), "--prompt", "Hi", ...args],
      Command.agent(folder.path("agent.yaml"))
    )
    return await Run.toEnd(command)
  }

  it("tells what was thrown later, even where that has no words [CLIENT-4.e]", async () => {
    const { exitCode, stderr, stdout } = await run(
      `setTimeout(() => { throw Object.create(null) }); await new Promise((resolve) => process.once("uncaughtException", resolve))`
    )
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "fine\n" })
    expect(stderr).toContain("an error was left behind by a tool: no reason given\n")
  })

  it("does not pass for a success when a tool ends the process [CLI-4.b]", async () => {
    const { exitCode, stderr, stdout } = await run(`process.exit(0)`, "--json")
    expect(exitCode).toBe(1)
    expect(stdout).not.toContain("stopReason")
    expect(stderr).toContain("a tool ended the process in the midst of the turn\n")
  })

  it("keeps its stdout when a tool ends it [CLIENT-9.a CLI-2.b CLI-2.c]", async () => {
    const { stderr, stdout } = await run(`process.stdout.end("the end\\n")`, "--json")
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines.at(-1)).toMatchObject({ stopReason: "end_turn" })
    expect(stderr).toContain("the end\n")
  })
})

describe("messages to nobody", () => {
  it("cost neither side its work: stderr is closed, and both end as they should", async () => {
    await using folder = await Folder.make({
      ...says,
      "tools.mjs": `export default [{ name: "a", execute: () => 1 }]`
    })
    const { exitCode, stdout } = await Run.toEnd(
      Command.client(["--tools", folder.path("tools.mjs"), "--prompt", "Hi"], Command.agent(folder.path("agent.yaml"))),
      { onStart: (child) => child.stderr?.destroy() }
    )
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Hello.\n" })
  })

  it("of any length arrive whole: every fault of a large set is told [CLIENT-1.g]", async () => {
    await using folder = await Folder.make({ "tools.mjs": "export default Array.from({ length: 3000 }, () => 5)" })
    const { exitCode, stderr } = await Run.toEnd(
      Command.client(["--tools", folder.path("tools.mjs"), "--prompt", "Hi"], nobody)
    )
    expect(exitCode).toBe(2)
    expect(stderr.trimEnd().split("\n")).toHaveLength(3000)
  })
})

describe("agent", () => {
  const initialize = `${JSON.stringify({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: 1, clientCapabilities: { _meta: { "org.mini-me/tools": [] } } }
  })}\n`

  it("takes its file and a log level [CLI-6.a]", async () => {
    await using folder = await Folder.make(says)
    const linesAt = async (...flags: ReadonlyArray<string>) => {
      const { stderr } = await Run.toEnd(Command.agent(folder.path("agent.yaml"), ...flags), { stdin: initialize })
      return stderr.trimEnd()
    }
    expect(await linesAt()).toBe("[acp] client tools (meta): (none)")
    expect(await linesAt("--log-level", "error")).toBe("")
  })

  it.each([
    ["is not there", {}, "agent.yaml: cannot read the agent file: there is no such file"],
    ["is not YAML", { "agent.yaml": "model: {" }, "agent.yaml:1: "],
    ["names no model", { "agent.yaml": "yolo: true" }, "agent.yaml:1: model.provider is missing"],
    [
      "misspells its model",
      { "agent.yaml": "modle: {}" },
      "agent.yaml:1: warning: unknown key modle; did you mean model?\n"
    ],
    [
      "holds a bad value",
      { "agent.yaml": `${agentYaml}maxOutput: 0` },
      "agent.yaml:3: maxOutput: 0 is not accepted; it takes a whole number, at least 1"
    ],
    [
      "names a script that is not there",
      { "agent.yaml": agentYaml },
      "steps.yaml: cannot read the script: there is no such file"
    ],
    [
      "names a script of another shape",
      { "agent.yaml": agentYaml, "steps.yaml": "steps: [{say: Hello}]" },
      "steps.yaml:1: steps.0.say: "
    ]
  ])("exits with 2 and one message when its file %s [CFG-4.a CFG-4.b CLI-4.c]", async (_, files, message) => {
    await using folder = await Folder.make(files)
    const { exitCode, stderr, stdout } = await Run.toEnd(Command.agent(folder.path("agent.yaml")))
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" })
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/\n {4}at /)
  })

  it("keeps the key of its provider to itself [CLI-6.c CLI-6.d]", async () => {
    await using folder = await Folder.make({
      "agent.yaml": [
        `model: {provider: openai-compatible, baseUrl: "${await echoingServer()}", name: m, apiKeyEnv: THE_KEY}`,
        "sessions: {directory: ./sessions}"
      ].join("\n")
    })
    const run = Command.client(
      ["--json", "--prompt", "Hi"],
      Command.agent(folder.path("agent.yaml"), "--log-level", "all")
    )
    const { exitCode, stderr, stdout } = await Run.toEnd(run, { env: { THE_KEY: " sk-very-secret\n" } })
    expect(exitCode).toBe(1)
    expect(stderr).toContain("the model failed: no such key: Bearer [secret] (HTTP 401)")
    expect(stdout + stderr).not.toContain("very-secret")
    const [file = ""] = await readdir(folder.path("sessions"))
    const kept = await readFile(folder.path(`sessions/${file}`), "utf8")
    expect(kept).toContain('"prompt"')
    expect(kept).not.toContain("very-secret")
  })
})

describe("acp-client-tools", () => {
  const command = (...args: ReadonlyArray<string>): Command.Command => {
    const { args: bundle, command: node } = Command.agent("x")
    return { command: node, args: [...bundle.slice(0, 1), ...args] }
  }

  it("exits with 2 for a command that does not exist, and names one that does [CLI-4.c]", async () => {
    const { exitCode, stderr, stdout } = await Run.toEnd(command("clinet"))
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" })
    expect(stderr).toMatch(/Unknown subcommand "clinet"[^]*client/)
  })

  it("is one file that runs where there is nothing else", async () => {
    const { args } = command()
    await using folder = await Folder.make({
      ...says,
      "acp-client-tools.js": await readFile(args[0] ?? "", "utf8"),
      "package.json": '{"type":"module"}'
    })
    const bundle = folder.path("acp-client-tools.js")
    const run = (...flags: ReadonlyArray<string>): Command.Command => ({
      command: process.execPath,
      args: [bundle, ...flags]
    })
    const agent = run("agent", "--config", "agent.yaml")
    const client = run("client", "--prompt", "Hi", "--", agent.command, ...agent.args)
    expect(await Run.toEnd(client, { cwd: folder.path(".") })).toEqual({ exitCode: 0, stdout: "Hello.\n", stderr: "" })
  })

  it("helps on stdout when asked, and on stderr when not [CLI-4.c]", async () => {
    expect(await Run.toEnd(command("client", "--help"))).toMatchObject({ exitCode: 0, stderr: "" })
    const { exitCode, stdout } = await Run.toEnd(command())
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" })
  })
})

/** A model server that refuses every key, and says which it got. */
const echoingServer = (): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      response.writeHead(401, { "content-type": "application/json" })
      response.end(JSON.stringify({ error: { message: `no such key: ${request.headers.authorization}` } }))
    })
    server.unref().listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`)
    })
  })

/** Writes a tools module that carries its own copies of effect and of our client, as a user's bundler makes it. */
const ownCopies = async (file: string): Promise<void> => {
  const { build } = await import("rolldown")
  const entry = new URL("../src/EffectTools.ts", import.meta.url).pathname
  await build({
    input: entry,
    platform: "node",
    logLevel: "silent",
    output: { file, format: "esm", codeSplitting: false }
  })
}
