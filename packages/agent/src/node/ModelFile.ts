/** The model an agent file names, made ready: a script is read, a provider's package is loaded. Called at start. */
import { resolve } from "node:path"
import { Wording } from "@acp-client-tools/protocol"
import { Effect, Result } from "effect"
import * as OpenAiCompatible from "../ai-sdk/OpenAiCompatible.ts"
import type { Model } from "../reference/Model.ts"
import * as ScriptedModel from "../reference/ScriptedModel.ts"
import * as AgentFile from "./AgentFile.ts"

const readScript = Effect.fnUntraced(function* (path: string) {
  const text = yield* AgentFile.readText("the script", path)
  const document = yield* Effect.fromResult(AgentFile.parse(path, text))
  const script = ScriptedModel.decode(document.value)
  if (Result.isFailure(script)) {
    const faults = script.failure.map((fault) => ({
      path: fault.path,
      text: `${fault.path.join(".") || "the script"}: ${fault.message}`
    }))
    return yield* new AgentFile.FileFault({ message: AgentFile.inFile(path, document.lineOf, faults).join("\n") })
  }
  return ScriptedModel.make(script.success)
})

/** The model, or what has to change in the agent file or the environment. */
export const load = Effect.fnUntraced(function* (
  path: string,
  { config: { model }, directory, lineOf }: AgentFile.AgentFile,
  env: Readonly<Record<string, string | undefined>>
): Effect.fn.Return<Model, AgentFile.FileFault> {
  const fault = (key: string, text: string) =>
    new AgentFile.FileFault({ message: AgentFile.inFile(path, lineOf, [{ path: ["model", key], text }]).join("\n") })
  if (model === undefined) {
    return yield* fault("provider", Wording.configProblem("model.provider", undefined, Wording.configProvider))
  }
  switch (model.provider) {
    case "script":
      return yield* readScript(resolve(directory, model.script ?? ""))
    case "openai-compatible": {
      const apiKey = model.apiKeyEnv === undefined ? undefined : env[model.apiKeyEnv]
      if (model.apiKeyEnv !== undefined && (apiKey === undefined || apiKey === "")) {
        return yield* fault("apiKeyEnv", Wording.configKeyNotSet(model.apiKeyEnv))
      }
      return yield* OpenAiCompatible.make({ baseUrl: model.baseUrl ?? "", name: model.name ?? "", apiKey }).pipe(
        Effect.mapError(({ message }) => fault("provider", message))
      )
    }
    default: {
      const provider = JSON.stringify(model.provider)
      return yield* fault("provider", Wording.configProblem("model.provider", provider, Wording.configProvider))
    }
  }
})
