/** Every vector of the pure operations, through the public functions. Titles carry the clauses for the gate. */
import { expand, type Operation, vectors } from "@acp-client-tools/spec"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import {
  AgentConfig,
  CallArguments,
  CallOutcome,
  CallParams,
  CallResult,
  type ClientTool,
  Cut,
  Discovery,
  GoDuration,
  Json,
  LogLine,
  RpcError,
  ToolDeclaration,
  ToolName,
  ToolSet,
  Wording
} from "../src/index.ts"

const runVectors = <Input>(operation: Operation, run: (input: Input, output: any) => unknown): void => {
  describe(operation, () => {
    for (const { description, id, input, output, requirements } of vectors<Input, any>(operation).cases) {
      it(`${id}: ${description} [${requirements.join(" ")}]`, () => {
        const expected = expand(output)
        assert.deepStrictEqual(run(expand(input), expected), expected)
      })
    }
  })
}

const byKey = <A extends { readonly key: string }>(items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items.toSorted((a, b) => (a.key < b.key ? -1 : 1))

/** Of `actual`, the keys that `expected` has: some outputs fix a part of a value only. */
const pick = (actual: any, expected: any): unknown =>
  Json.isObject(expected)
    ? Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, pick(actual?.[key], value)]))
    : actual

const modelNames = (tools: ReadonlyArray<ClientTool>): ReadonlyArray<string> => tools.map((tool) => tool.modelName)

runVectors<{ name: string }>("tool-name", ({ name }) => ({ modelName: ToolName.toModelName(name) ?? null }))

runVectors<{ list: ReadonlyArray<unknown>; reserved?: ReadonlyArray<string> }>(
  "tool-set",
  ({ list, reserved = [] }, expected) => {
    const { skipped, tools } = ToolSet.decode(list, { reserved })
    return {
      tools: tools.map(({ method, modelName, name, requiredParameters }) => ({
        modelName,
        name,
        method,
        requiredParameters
      })),
      skipped: skipped.map(({ index, reason }, place) => {
        const wanted = expected.skipped[place]
        return wanted?.reasonIsPrefix === true && reason.startsWith(wanted.reason) ? wanted : { index, reason }
      })
    }
  }
)

runVectors<{ tool: unknown }>("tool-declaration", ({ tool }) => {
  const [decoded] = ToolSet.decode([tool]).tools
  assert.isDefined(decoded)
  return ToolDeclaration.fromTool(decoded)
})

runVectors<{ meta?: unknown }>("discovery-meta", ({ meta }) => {
  const advertisement = Discovery.fromMeta(meta)
  const { lines, tools } = Discovery.fromAdvertisement(advertisement)
  const { kind } = advertisement
  return { kind, ...(kind === "list" ? { modelNames: modelNames(tools) } : {}), lines }
})

runVectors<{ result: unknown; sessionId: string }>("list-result", ({ result, sessionId }) => {
  const { lines, tools } = Discovery.fromListOutcome(sessionId, { kind: "result", result })
  return { modelNames: modelNames(tools), lines }
})

interface LogEvent {
  readonly event: "skipped" | "meta" | "request" | "list-failed" | "list-timeout"
  readonly index: number
  readonly reason: string
  readonly modelNames: ReadonlyArray<string>
  readonly sessionId: string
  readonly error: RpcError.RpcError
  readonly timeout: string
}
runVectors<LogEvent>("log-line", (input) => {
  const tools = (input.modelNames ?? []).map((modelName) => ({ modelName }))
  switch (input.event) {
    case "skipped":
      return { line: LogLine.skipped(input) }
    case "meta":
      return { line: LogLine.metaTools(tools) }
    case "request":
      return { line: LogLine.sessionTools(input.sessionId, tools) }
    case "list-failed":
      return { line: Discovery.fromListOutcome(input.sessionId, { kind: "error", error: input.error }).lines.join() }
    case "list-timeout":
      return {
        line: Discovery.fromListOutcome(input.sessionId, { kind: "timeout", timeout: input.timeout }).lines.join()
      }
  }
})

runVectors<{ raw?: unknown; requiredParameters: ReadonlyArray<string> }>(
  "call-arguments",
  ({ raw, requiredParameters }) => {
    const { arguments: args } = CallArguments.decode(raw)
    if (args === undefined) return { text: CallOutcome.toText({ kind: "badArguments" }).text }
    const names = CallArguments.missing(args, requiredParameters)
    return names.length > 0 ? { text: CallOutcome.toText({ kind: "missing", names }).text } : { arguments: args }
  }
)

runVectors<{ arguments: Json.JsonObject; sessionId: string }>("call-params", (input) => ({
  params: CallParams.make(input.arguments, input.sessionId)
}))

runVectors<{ result: unknown }>("call-result", ({ result }) => CallResult.decode(result))

const toOutcome = (input: any): CallOutcome.CallOutcome => {
  if ("result" in input) return { kind: "result", result: input.result }
  if ("error" in input) return { kind: "error", error: input.error }
  if ("timeout" in input) return { kind: "timeout", timeout: input.timeout }
  if ("missing" in input) return { kind: "missing", names: input.missing }
  if ("unknownTool" in input) return { kind: "unknownTool", name: input.unknownTool }
  if ("rejected" in input) return { kind: "rejected", modelName: input.rejected }
  return { kind: "badArguments" in input ? "badArguments" : "cancelled" in input ? "cancelled" : "notStarted" }
}
runVectors<{ maxOutput?: number }>("model-text", (input) => ({
  text: Cut.cut(CallOutcome.toText(toOutcome(input)).text, input.maxOutput ?? 16_000)
}))

runVectors<{ text: string; maxOutput: number }>("cut", ({ maxOutput, text }) => ({ text: Cut.cut(text, maxOutput) }))

runVectors<{ text: unknown }>("go-duration", ({ text }) => {
  const duration = GoDuration.parse(text)
  return duration === undefined ? { refused: true } : { milliseconds: duration.milliseconds }
})

runVectors<{ config: unknown }>("agent-config", ({ config }, expected) => {
  const { config: decoded, unknownKeys } = AgentConfig.decode(config)
  if (Result.isFailure(decoded)) {
    expected.problems = byKey(expected.problems ?? [])
    return { problems: byKey(decoded.failure.map(({ path }) => ({ key: AgentConfig.keyName(path) }))) }
  }
  const inForce = decoded.success
  const asInFile = {
    ...inForce,
    acp: { clientTools: { ...inForce.acp.clientTools, timeout: inForce.acp.clientTools.timeout.text } }
  }
  if (expected.warnings !== undefined) expected.warnings = byKey(expected.warnings)
  return {
    config: pick(asInFile, expected.config),
    ...(unknownKeys.length === 0
      ? {}
      : {
          warnings: byKey(
            unknownKeys.map(({ nearest, path }) => ({
              key: AgentConfig.keyName(path),
              ...(nearest === undefined ? {} : { nearest })
            }))
          )
        })
  }
})

describe("wording", () => {
  it("is well-formed whatever a model or a client calls things [RES-5.c]", () => {
    assert.isTrue(CallOutcome.toText({ kind: "unknownTool", name: "client_\ud800" }).text.isWellFormed())
    assert.isTrue(CallOutcome.toText({ kind: "missing", names: ["\udc00"] }).text.isWellFormed())
  })

  it("the error of a deadline keeps the duration as written [ERR-2.b]", () => {
    assert.strictEqual(
      RpcError.toText(Wording.timeoutError("1m30s")),
      '{"code":-32800,"message":"Request cancelled","data":{"reason":"no answer within 1m30s"}}'
    )
  })
})
