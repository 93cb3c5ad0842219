/** The model an agent file names, made ready: a script is read, a provider's package is loaded. Called at start. */
import { resolve } from "node:path"
import { Wording } from "@acp-client-tools/protocol"
import { Effect, Result } from "effect"
import * as OpenAiCompatible from "../ai-sdk/OpenAiCompatible.ts"
import type { Model } from "../reference/Model.ts"
import * as ScriptedModel from "../reference/ScriptedModel.ts"
import * as AgentFile from "./AgentFile.ts"

type Environment = Readonly<Record<string, string | undefined>>

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

/** The environment's values for an agent file that may be shown nowhere (CLI-6). */
export const secretsOf = ({ config: { model } }: AgentFile.AgentFile, env: Environment): ReadonlyArray<string> => {
  const key = model?.apiKeyEnv === undefined ? undefined : env[model.apiKeyEnv]
  return key === undefined ? [] : [key]
}

/** Characters a header can hold. */
const isSendable = (key: string): boolean => /^[\x20-\x7e\x80-\xff]*$/.test(key.trim())

/** The model, or what has to change in the agent file or the environment. */
export const load = Effect.fnUntraced(function* (
  path: string,
  { config: { model }, directory, lineOf }: AgentFile.AgentFile,
  env: Environment
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
      if (model.apiKeyEnv !== undefined && (apiKey === undefined || apiKey.trim() === "")) {
        return yield* fault("apiKeyEnv", Wording.configKeyNotSet(model.apiKeyEnv))
      }
      if (model.apiKeyEnv !== undefined && !isSendable(apiKey ?? "")) {
        return yield* fault("apiKeyEnv", Wording.configKeyNotSendable(model.apiKeyEnv))
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
