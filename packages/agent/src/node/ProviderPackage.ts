/**
 * The package of a provider of the AI SDK, looked for beside the agent file and where the agent runs, and the model it
 * makes. Loaded by ModelFile for every `model.provider` that is not built in (CFG-1).
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Json, Thrown, Wording } from "@acp-client-tools/protocol"
import { Effect, Result, Schema } from "effect"
import { resolve } from "import-meta-resolve"
import * as LanguageModel from "../ai-sdk/LanguageModel.ts"

/** What has to change: `key` is the one of `model` that the message is about. */
export class PackageFault extends Schema.TaggedError<PackageFault>()("PackageFault", {
  key: Schema.Literals(["provider", "name", "options"]),
  message: Schema.String
}) {}

const providerFault = (message: string): PackageFault => new PackageFault({ key: "provider", message })

/** The address of the module that `import` would load in a folder; `undefined` where the package is not installed. */
const resolveIn = (specifier: string, directory: string): Result.Result<string | undefined, PackageFault> =>
  Result.try({
    // A file of the folder, whatever its name: packages are looked for beside files.
    try: () => resolve(specifier, pathToFileURL(join(directory, "_")).href),
    catch: (cause) => cause
  }).pipe(
    Result.orElse((cause) =>
      Json.get(cause, "code") === "ERR_MODULE_NOT_FOUND"
        ? Result.succeed(undefined)
        : Result.fail(providerFault(Wording.providerNotLoaded(specifier, Thrown.text(cause))))
    )
  )

const find = (specifier: string, directories: ReadonlyArray<string>): Result.Result<string, PackageFault> => {
  for (const directory of directories) {
    const found = resolveIn(specifier, directory)
    if (Result.isFailure(found)) return Result.fail(found.failure)
    if (found.success !== undefined) return Result.succeed(found.success)
  }
  return Result.fail(providerFault(Wording.providerMissing(specifier, directories)))
}

const load = (specifier: string, url: string): Effect.Effect<object, PackageFault> =>
  Effect.tryPromise({
    try: (): Promise<object> => import(url),
    catch: (cause) => providerFault(Wording.providerNotLoaded(specifier, Thrown.text(cause)))
  })

type Factory = (settings: Json.JsonObject) => unknown

const isFactory = (name: string, value: unknown): value is Factory =>
  /^create[A-Z]/.test(name) && typeof value === "function"

const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** Every `create…` of the package; first the one of its name, as `createAmazonBedrock` of `@ai-sdk/amazon-bedrock` is. */
const factoriesOf = (specifier: string, module: object): ReadonlyArray<readonly [string, Factory]> => {
  const own = `create${letters(specifier.slice(specifier.lastIndexOf("/") + 1))}`
  return Object.entries(module)
    .filter((entry): entry is [string, Factory] => isFactory(...entry))
    .toSorted(([a], [b]) => Number(letters(b) === own) - Number(letters(a) === own))
}

type MakeModel = (name: string) => unknown

const makerOf = (provider: unknown): MakeModel | undefined => {
  const languageModel: unknown =
    typeof provider === "function" || Json.isObject(provider) ? Reflect.get(provider, "languageModel") : undefined
  return typeof languageModel === "function" ? (name) => Reflect.apply(languageModel, provider, [name]) : undefined
}

/** The provider of the first `create…` that makes one. */
const makeProvider = (
  specifier: string,
  module: object,
  settings: Json.JsonObject
): Result.Result<MakeModel, PackageFault> => {
  for (const [factory, create] of factoriesOf(specifier, module)) {
    try {
      const maker = makerOf(create(settings))
      if (maker !== undefined) return Result.succeed(maker)
    } catch (cause) {
      const message = Wording.providerRefuses("model.options", `${factory} of ${specifier}`, Thrown.text(cause))
      return Result.fail(new PackageFault({ key: "options", message }))
    }
  }
  return Result.fail(providerFault(Wording.providerNone(specifier)))
}

const makeModel = (
  specifier: string,
  make: MakeModel,
  name: string
): Result.Result<LanguageModel.LanguageModel, PackageFault> =>
  Result.try({
    try: () => make(name),
    catch: (cause) =>
      new PackageFault({
        key: "name",
        message: Wording.providerRefuses("model.name", specifier, Thrown.text(cause))
      })
  }).pipe(
    Result.flatMap((model) => {
      if (LanguageModel.isLanguageModel(model)) return Result.succeed(model)
      return Result.fail(providerFault(Wording.providerVersion(specifier, LanguageModel.specificationVersions)))
    })
  )

export interface Options {
  /** What `import` takes: `@ai-sdk/anthropic`. */
  readonly specifier: string
  /** Where it may be installed, as absolute paths; the first that has it serves. */
  readonly directories: ReadonlyArray<string>
  /** The provider's name of the model. */
  readonly name: string
  /** What the package's `create…` is given: `baseURL`, `apiKey`, `headers`. */
  readonly settings: Json.JsonObject
}

/** The model of a provider's package. It says nothing yet about its key: packages ask for that with the first request. */
export const languageModel = Effect.fnUntraced(function* ({ directories, name, settings, specifier }: Options) {
  const url = yield* Effect.fromResult(find(specifier, directories))
  const module = yield* load(specifier, url)
  const maker = yield* Effect.fromResult(makeProvider(specifier, module, settings))
  return yield* Effect.fromResult(makeModel(specifier, maker, name))
})
