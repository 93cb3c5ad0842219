/** The agent file: YAML or JSON, and what is said about one that cannot be used. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { AgentFile, ModelFile } from "../src/node/index.ts"

const decode = (text: string) => AgentFile.decode("dir/agent.yaml", text)
const messageOf = (text: string): string => Result.getOrThrow(Result.flip(decode(text))).message

describe("the agent file", () => {
  it("is YAML, of which JSON is a part [CFG-1.a]", () => {
    const yaml = Result.getOrThrow(
      decode("# comment\nacp:\n  clientTools: {discovery: request}\nmaxOutput: 5\n")
    ).config
    const json = Result.getOrThrow(decode('{"acp":{"clientTools":{"discovery":"request"}},"maxOutput":5}')).config
    assert.deepStrictEqual(yaml, json)
    assert.strictEqual(yaml.acp.clientTools.discovery, "request")
    assert.strictEqual(Result.getOrThrow(decode("")).config.maxOutput, 16_000)
  })

  it("names file, line, key, value and what is accepted for each fault [CFG-4.b]", () => {
    assert.strictEqual(
      messageOf("yolo: maybe\nacp:\n  clientTools:\n    timeout: 30\n    discovery: both\nmaxOutput: 0\n").replaceAll(
        / such as .*/g,
        ""
      ),
      [
        'dir/agent.yaml:1: yolo: "maybe" is not accepted; it takes true or false',
        "dir/agent.yaml:4: acp.clientTools.timeout: 30 is not accepted; it takes a duration",
        'dir/agent.yaml:5: acp.clientTools.discovery: "both" is not accepted; it takes "meta" or "request"',
        "dir/agent.yaml:6: maxOutput: 0 is not accepted; it takes a whole number, at least 1"
      ].join("\n")
    )
  })

  it("may be broken YAML, and then says where [CFG-4.b]", () => {
    assert.match(messageOf("yolo: true\nacp: {clientTools: [\n"), /^dir\/agent\.yaml:\d+: /)
    assert.match(messageOf("yolo: true\nyolo: false\n"), /^dir\/agent\.yaml:2: .*unique/)
    assert.strictEqual(
      messageOf("- a\n"),
      'dir/agent.yaml:1: the file: ["a"] is not accepted; it takes a mapping of keys to values'
    )
    assert.match(messageOf("yolo: true\n---\nyolo: false\n"), /^dir\/agent\.yaml:\d: there is more than one document$/)
    assert.match(
      messageOf("model: {provider: openai-compatible, name: m, baseUrl: not a url}"),
      /:1: model\.baseUrl: "not a url" is not accepted; it takes the address of the API/
    )
    assert.match(messageOf("maxTurnRequests: .inf"), /maxTurnRequests: Infinity is not accepted/)
    assert.match(messageOf(`systemPrompt: [${'"\\u001b",'.repeat(100)}]`), /… \d+ characters cut …/)
  })

  it("may hold keys nobody knows, with a hint for those that look like one [CFG-4.c]", () => {
    assert.deepStrictEqual(
      Result.getOrThrow(decode("maxOutptu: 5\nacp:\n  clientTools: {timeuot: 5s}\n  zzz: 1\ntimeout: 5s\n")).warnings,
      [
        "dir/agent.yaml:1: warning: unknown key maxOutptu; did you mean maxOutput?",
        "dir/agent.yaml:3: warning: unknown key acp.clientTools.timeuot; did you mean acp.clientTools.timeout?",
        "dir/agent.yaml:4: warning: unknown key acp.zzz",
        "dir/agent.yaml:5: warning: unknown key timeout; did you mean acp.clientTools.timeout?"
      ]
    )
  })
})

describe("an agent file with both", () => {
  it("says what is wrong and which keys nobody knows: one is often why [CFG-4.b CFG-4.c]", () => {
    assert.strictEqual(
      messageOf("maxOutptu: 5\nyolo: 1\n"),
      "agent.yaml:1: warning: unknown key maxOutptu; did you mean maxOutput?\nagent.yaml:2: yolo: 1 is not accepted; it takes true or false".replaceAll(
        "agent.yaml",
        "dir/agent.yaml"
      )
    )
  })
})

describe("the model of an agent file", () => {
  const load = (text: string, env: Record<string, string> = {}) =>
    Effect.fromResult(decode(text)).pipe(
      Effect.flatMap((file) => ModelFile.load("dir/agent.yaml", file, env)),
      Effect.flip,
      Effect.map(({ message }) => message)
    )

  it.effect("says what is missing [CFG-1.l CFG-4.b]", () =>
    Effect.gen(function* () {
      assert.match(
        yield* load("yolo: true"),
        /^dir\/agent\.yaml:1: model\.provider is missing; it takes script, openai-compatible, or/
      )
      assert.match(
        yield* load("model: {provider: script}"),
        /^dir\/agent\.yaml:1: model\.script is missing; it takes the path/
      )
      assert.match(yield* load("model: {provider: openai-compatible, name: m}"), /model\.baseUrl is missing/)
      assert.match(
        yield* load('model: {provider: "Open AI"}'),
        /agent\.yaml:1: model\.provider: "Open AI" is not accepted; it takes script, openai-compatible, or the package/
      )
      for (const name of ["__proto__", "toString", "./mine.js", "..", "/etc", "file:x", "@ai-sdk", "a/../b", "''"]) {
        assert.match(
          yield* load(`model: {provider: "${name}", name: m}`),
          /is not accepted; it takes script, openai-compatible, or the package/
        )
      }
      assert.match(yield* load('model: {provider: "@ai-sdk/x"}'), /model\.name is missing/)
      assert.notMatch(yield* load('model: {provider: "x\\e[31m\\n\\L"}'), /[\p{Cc}\u2028]/u)
      assert.match(
        yield* load("model: {provider: openai-compatible, name: m, baseUrl: http://x/v1, apiKeyEnv: THE_KEY}"),
        /the environment variable THE_KEY is not set/
      )
      assert.match(
        yield* load("model: {provider: script, script: nowhere.yaml}"),
        /nowhere\.yaml: cannot read the script: there is no such file/
      )
    })
  )

  it.effect("may have options, but no key in them, which is not shown either [CFG-1.l CFG-4.b CLI-6.d]", () =>
    Effect.gen(function* () {
      const model = (rest: string) => `model: {provider: "@ai-sdk/x", name: m, ${rest}}`
      const message = yield* load(`yolo: true\n${model("options: {apiKey: sk-0123456789}")}`)
      assert.strictEqual(
        message,
        'dir/agent.yaml:2: model.options.apiKey: "[secret]" is not accepted; it takes no key: model.apiKeyEnv names the environment variable that holds it'
      )
      assert.match(yield* load(model("options: 5")), /model\.options: 5 is not accepted; it takes a mapping/)
      assert.match(yield* load(model("toolNameLimit: 15")), /toolNameLimit: 15 is not accepted; it takes a whole/)
      const file = Result.getOrThrow(decode(model("options: {headers: {X: y}, anything: [1]}, toolNameLimit: 16")))
      assert.deepStrictEqual(file.warnings, [])
    })
  )

  it("has secrets: its own key, and what looks like one in the environment [CLI-6.d]", () => {
    const file = Result.getOrThrow(
      decode("model: {provider: openai-compatible, baseUrl: http://x, name: m, apiKeyEnv: K}")
    )
    const env = {
      K: "short key",
      ANTHROPIC_API_KEY: "sk-ant-0123456789",
      AWS_SECRET_ACCESS_KEY: "aws-0123456789abcdef\n",
      GITHUB_TOKEN: "ghp_0123456789abcdef",
      PGPASSWORD: "correct horse battery",
      NPM_TOKEN: "password",
      HOME: "/home/somebody/else"
    }
    assert.deepStrictEqual(ModelFile.secretsOf(file, env), [
      "short key",
      "sk-ant-0123456789",
      "aws-0123456789abcdef\n",
      "ghp_0123456789abcdef"
    ])
  })
})
