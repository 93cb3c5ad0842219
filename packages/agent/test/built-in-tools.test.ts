/** The agent's own tools in its turns: which there are, through whom they work, and the pipeline they share. */
import { RequestError } from "@agentclientprotocol/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { FileRefused, type Files } from "../src/reference/index.ts"
import * as Joined from "./Joined.ts"

const call = (name: string, args: object, id = name) => ({ id, name, arguments: args })

const files: Files = {
  read: ({ cwd, path, ...lines }) =>
    path === "refused"
      ? Effect.fail(new FileRefused({ message: "it is not for you" }))
      : Effect.succeed(`machine ${cwd} ${path} ${JSON.stringify(lines)}`),
  list: ({ path }) =>
    Effect.succeed(
      path === "empty"
        ? []
        : [
            { name: "src", kind: "folder" },
            { name: "a.txt", kind: "file" },
            { name: "l", kind: "link" },
            { name: "p", kind: "other" }
          ]
    )
}

/** The names the model was told of. */
const told = ({ said }: { readonly said: () => string }): ReadonlyArray<string> =>
  (JSON.parse(said()) as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)

describe("which tools there are", () => {
  const toolsFor = (options: Omit<Joined.Options, "steps">) =>
    Effect.gen(function* () {
      const joined = yield* Joined.make({ ...options, steps: [{ text: "{{tools}}" }] })
      yield* joined.prompt("Hello")
      return told(joined)
    }).pipe(Effect.scoped)

  it.effect("depends on what the client can do [OWN-2.a OWN-2.b OWN-2.c OWN-2.d]", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* toolsFor({}), [])
      assert.deepStrictEqual(yield* toolsFor({ files }), ["read_file", "list_directory"])
      assert.deepStrictEqual(yield* toolsFor({ capabilities: { fs: { readTextFile: true } } }), ["read_file"])
      assert.deepStrictEqual(yield* toolsFor({ capabilities: { fs: { writeTextFile: true } } }), ["write_file"])
      assert.deepStrictEqual(yield* toolsFor({ capabilities: { terminal: true } }), ["run_command"])
      const capabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true }
      assert.deepStrictEqual(yield* toolsFor({ files, capabilities }), [
        "read_file",
        "list_directory",
        "write_file",
        "run_command"
      ])
      assert.deepStrictEqual(yield* toolsFor({ files, capabilities, config: { builtInTools: false } }), [])
    })
  )

  it.effect("they are told as any tool is: required parameters in the description, none in the schema [OWN-1.b]", () =>
    Effect.gen(function* () {
      const joined = yield* Joined.make({ files, steps: [{ text: "{{tools}}" }] })
      yield* joined.prompt("Hello")
      const [readFile] = JSON.parse(joined.said()) as ReadonlyArray<any>
      assert.strictEqual(
        readFile.description,
        "Read a text file, whole or some of its lines. Required parameters: path"
      )
      assert.hasAllKeys(readFile.parameters, ["type", "properties", "additionalProperties"])
      assert.deepStrictEqual(readFile.parameters.properties.path, {
        type: "string",
        description: "The file, absolute or relative to the session's folder."
      })
    }).pipe(Effect.scoped)
  )
})

describe("the pipeline", () => {
  it.effect(
    "is the one of client tools: required check, permission, decode, cut, loop count, report [OWN-1.b OWN-1.d]",
    () =>
      Effect.gen(function* () {
        const long = call("read_file", { path: "x".repeat(200) })
        const joined = yield* Joined.make({
          files,
          config: { yolo: false, maxOutput: 80 },
          steps: [
            { toolCalls: [call("read_file", {}, "missing"), call("read_file", { path: 1 }, "mistyped")] },
            { toolCalls: [call("read_file", { path: "refused" })] },
            ...[1, 2, 3].map((n) => ({ toolCalls: [{ ...long, id: `long${n}` }] })),
            { text: "Done." }
          ]
        })
        yield* joined.prompt("Hello")
        const [missing, mistyped, refused, , , flagged] = joined.ends()
        assert.deepStrictEqual(missing, {
          status: "failed",
          text: "[client tool error: missing required parameters: path]"
        })
        assert.deepStrictEqual(mistyped, {
          status: "failed",
          text: "[client tool error: invalid arguments: path: Expected string]"
        })
        assert.deepStrictEqual(refused, { status: "failed", text: "[client tool error: it is not for you]" })
        assert.match(flagged?.text ?? "", /3 times in this turn\]$/)
        for (const { text } of joined.ends()) assert.isAtMost(Array.from(text).length, 80)
        // Every call but the one that could not be made.
        assert.deepStrictEqual(
          joined.permissions.map(({ toolCall: { kind, title } }) => `${kind} ${title?.slice(0, 12)}`),
          ["read read_file", "read Read refused", ...[1, 2, 3].map(() => "read Read xxxxxxx")]
        )
      }).pipe(Effect.scoped)
  )

  it.effect("bounds each of them by the timeout [OWN-1.b]", () =>
    Effect.gen(function* () {
      const joined = yield* Joined.make({
        files: { ...files, read: () => Effect.never },
        config: { acp: { clientTools: { timeout: "5ms" } } },
        steps: [{ toolCalls: [call("read_file", { path: "a" })] }, { text: "Done." }]
      })
      yield* joined.prompt("Hello")
      assert.match(joined.ends()[0]?.text ?? "", /no answer within 5ms/)
    }).pipe(Effect.scoped)
  )
})

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

describe("read_file and list_directory", () => {
  it.effect("look at the agent's machine where the client does not read [OWN-2.b]", () =>
    Effect.gen(function* () {
      const joined = yield* Joined.make({
        files,
        cwd: "/work",
        steps: [
          { toolCalls: [call("read_file", { path: "a", line: 2, limit: 3 })] },
          { toolCalls: [call("list_directory", {}), call("list_directory", { path: "empty" }, "2")] },
          { text: "Done." }
        ]
      })
      yield* joined.prompt("Hello")
      assert.deepStrictEqual(joined.ends(), [
        { status: "completed", text: 'machine /work a {"line":2,"limit":3}' },
        { status: "completed", text: "src/\na.txt\nl@\np?" },
        { status: "completed", text: "(the folder is empty)" }
      ])
      assert.deepStrictEqual(joined.asked, [])
    }).pipe(Effect.scoped)
  )

  it.effect("read through the client's fs where it reads, with an absolute path [OWN-2.a]", () =>
    Effect.gen(function* () {
      const joined = yield* Joined.make({
        files,
        cwd: "/work",
        capabilities: { fs: { readTextFile: true } },
        answers: {
          "fs/read_text_file": ({ path }) => {
            if (path === "/gone") throw new RequestError(-32002, "there is no file")
            return path === "/odd" ? {} : { content: `client ${path}` }
          }
        },
        steps: [
          {
            toolCalls: [
              call("read_file", { path: "src/a", line: 2, limit: 3 }, "1"),
              call("read_file", { path: "/gone" }, "2"),
              call("read_file", { path: "/odd" }, "3")
            ]
          },
          { text: "Done." }
        ]
      })
      yield* joined.prompt("Hello")
      assert.deepInclude(joined.asked[0]?.params, {
        sessionId: joined.sessionId,
        path: "/work/src/a",
        line: 2,
        limit: 3
      })
      assert.sameDeepMembers(joined.ends(), [
        { status: "completed", text: "client /work/src/a" },
        { status: "failed", text: '[client tool error: {"code":-32002,"message":"there is no file"}]' },
        {
          status: "failed",
          text: "[client tool error: the client's answer to fs/read_text_file has no content; nothing can be said of what it did]"
        }
      ])
    }).pipe(Effect.scoped)
  )
})

describe("write_file", () => {
  it.effect("writes through the client's fs [OWN-2.c]", () =>
    Effect.gen(function* () {
      const joined = yield* Joined.make({
        cwd: "/work",
        capabilities: { fs: { writeTextFile: true } },
        answers: { "fs/write_text_file": () => ({}) },
        steps: [{ toolCalls: [call("write_file", { path: "a", content: "text" })] }, { text: "Done." }]
      })
      yield* joined.prompt("Hello")
      const { sessionId } = joined
      assert.deepStrictEqual(joined.asked, [
        { method: "fs/write_text_file", params: { sessionId, path: "/work/a", content: "text" } }
      ])
      assert.deepStrictEqual(joined.ends(), [{ status: "completed", text: "a is written" }])
    }).pipe(Effect.scoped)
  )
})

describe("run_command", () => {
  const terminal = (answers: Joined.Options["answers"] = {}) => ({
    cwd: "/work",
    capabilities: { terminal: true },
    answers: {
      "terminal/create": () => ({ terminalId: "t" }),
      "terminal/wait_for_exit": () => ({ exitCode: 3, signal: null }),
      "terminal/output": () => ({ output: "out\n", truncated: false }),
      "terminal/release": () => ({}),
      ...answers
    }
  })
  const steps = [
    { toolCalls: [call("run_command", { command: "make", args: ["all"], cwd: "lib" })] },
    { text: "Done." }
  ]
  const methods = ({ asked }: { readonly asked: ReadonlyArray<{ readonly method: string }> }) =>
    asked.map(({ method }) => method)

  it.effect("runs in a terminal of the client, which it lets go of [OWN-2.d]", () =>
    Effect.gen(function* () {
      const joined = yield* Joined.make({ ...terminal(), steps })
      yield* joined.prompt("Hello")
      const { sessionId } = joined
      assert.deepStrictEqual(joined.asked[0]?.params, {
        sessionId,
        command: "make",
        args: ["all"],
        cwd: "/work/lib",
        outputByteLimit: 1024 * 1024
      })
      yield* Effect.promise(() => until(() => methods(joined).includes("terminal/release")))
      assert.deepStrictEqual(methods(joined).slice(1), [
        "terminal/wait_for_exit",
        "terminal/output",
        "terminal/release"
      ])
      assert.deepStrictEqual(joined.asked.at(-1)?.params, { sessionId, terminalId: "t" })
      assert.deepStrictEqual(joined.ends(), [{ status: "completed", text: "out\n[exit code 3]" }])
      assert.include(
        joined.updates.map((update) => ("title" in update ? update.title : undefined)),
        "Run make all"
      )
    }).pipe(Effect.scoped)
  )

  it.effect("says what is missing and what ended it [OWN-2.d]", () =>
    Effect.gen(function* () {
      const joined = yield* Joined.make({
        ...terminal({
          "terminal/wait_for_exit": () => ({ exitCode: null, signal: "SIGKILL" }),
          "terminal/output": () => ({ output: "", truncated: true })
        }),
        steps
      })
      yield* joined.prompt("Hello")
      assert.deepStrictEqual(joined.ends(), [
        { status: "completed", text: "[its earlier output is not shown]\n[ended by SIGKILL]" }
      ])
      const odd = yield* Joined.make({ ...terminal({ "terminal/create": () => ({}) }), steps })
      yield* odd.prompt("Hello")
      assert.match(odd.ends()[0]?.text ?? "", /answer to terminal\/create has no terminalId/)
    }).pipe(Effect.scoped)
  )

  it.effect("that is cancelled lets go of its terminal, and of a client that never answers [OWN-2.d]", () =>
    Effect.gen(function* () {
      const aborted: Array<string> = []
      const never = (name: string) => (_: unknown, signal: AbortSignal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted.push(name)
            reject(new Error("cancelled"))
          })
        })
      const joined = yield* Joined.make({
        ...terminal({
          "terminal/wait_for_exit": never("wait"),
          "terminal/release": () => new Promise(() => undefined)
        }),
        steps
      })
      const turn = yield* Effect.forkChild(joined.prompt("Hello"))
      yield* Effect.promise(() => until(() => methods(joined).includes("terminal/wait_for_exit")))
      yield* Effect.promise(() => joined.agent.notify("session/cancel", { sessionId: joined.sessionId }))
      assert.deepStrictEqual(yield* Fiber.join(turn), { stopReason: "cancelled" })
      assert.deepStrictEqual(aborted, ["wait"])
      yield* Effect.promise(() => until(() => methods(joined).includes("terminal/release")))
    }).pipe(Effect.scoped)
  )
})
