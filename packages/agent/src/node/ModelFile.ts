/** The model an agent file names, made ready: a script is read, a provider's package is loaded. Called at start. */
import { resolve } from "node:path"
import { Wording } from "@acp-client-tools/protocol"
import { Effect, Result } from "effect"
import * as LanguageModel from "../ai-sdk/LanguageModel.ts"
import * as OpenAiCompatible from "../ai-sdk/OpenAiCompatible.ts"
import { maskingErrors, type Model } from "../reference/Model.ts"
import * as ScriptedModel from "../reference/ScriptedModel.ts"
import * as Secret from "../reference/Secret.ts"
import * as AgentFile from "./AgentFile.ts"
import * as ProviderPackage from "./ProviderPackage.ts"

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

/** Variables that packages of providers look for their keys in, and others like them. */
const secretName = /(?:API_?KEY|ACCESS_KEY|TOKEN|SECRET|PASSWORD)$/i

/** Values of such variables that are shorter, or hold blanks, may be words of any text. */
const secretValue = /^\S{16,}$/

/** The environment's values for an agent file that may be shown nowhere (CLI-6). */
export const secretsOf = ({ config: { model } }: AgentFile.AgentFile, env: Environment): ReadonlyArray<string> =>
  Object.entries(env).flatMap(([name, value = ""]) =>
    name === model?.apiKeyEnv || (secretName.test(name) && secretValue.test(value.trim())) ? [value] : []
  )

/** Characters a header can hold. */
const isSendable = (key: string): boolean => /^[\x20-\x7e\x80-\xff]*$/.test(key.trim())

/** The key that `model.apiKeyEnv` names, or why it is none; `undefined` where nothing is named. */
const apiKeyOf = (variable: string | undefined, env: Environment): Result.Result<string | undefined, string> => {
  if (variable === undefined) return Result.succeed(undefined)
  // Keys come out of files with a line end behind them.
  const key = env[variable]?.trim() ?? ""
  if (key === "") return Result.fail(Wording.configKeyNotSet(variable))
  return isSendable(key) ? Result.succeed(key) : Result.fail(Wording.configKeyNotSendable(variable))
}

/** The model, or what has to change in the agent file or the environment. */
export const load = Effect.fnUntraced(function* (
  path: string,
  file: AgentFile.AgentFile,
  env: Environment
): Effect.fn.Return<Model, AgentFile.FileFault> {
  const { config, directory, lineOf } = file
  const { model } = config
  const fault = (key: string, text: string) =>
    new AgentFile.FileFault({ message: AgentFile.inFile(path, lineOf, [{ path: ["model", key], text }]).join("\n") })
  if (model === undefined) {
    return yield* fault("provider", Wording.configProblem("model.provider", undefined, Wording.configProvider))
  }
  if (model.provider === "script") return yield* readScript(resolve(directory, model.script ?? ""))
  const { baseUrl, name = "", options: settings = {}, provider, toolNameLimit } = model
  const apiKey = yield* Effect.fromResult(apiKeyOf(model.apiKeyEnv, env)).pipe(
    Effect.mapError((text) => fault("apiKeyEnv", text))
  )
  if (provider === "openai-compatible") {
    return yield* OpenAiCompatible.make({ baseUrl: baseUrl ?? "", name, apiKey, settings, toolNameLimit }).pipe(
      Effect.mapError(({ message }) => fault("provider", message))
    )
  }
  const languageModel = yield* ProviderPackage.languageModel({
    specifier: provider,
    directories: [directory, process.cwd()],
    name,
    settings: {
      ...settings,
      ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
      ...(apiKey === undefined ? {} : { apiKey })
    }
  }).pipe(Effect.mapError(({ key, message }) => fault(key, message)))
  return maskingErrors(LanguageModel.toModel(languageModel, { toolNameLimit }), Secret.masking(secretsOf(file, env)))
})
