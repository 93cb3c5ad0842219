/** Packages of providers: where they are looked for, what of them is used, and what is said about one that does not serve. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { LanguageModel } from "../src/ai-sdk/index.ts"
import type { ModelEvent } from "../src/reference/index.ts"
import * as ProviderPackage from "../src/node/ProviderPackage.ts"

/** Two folders, `a` and `b`, with these files. */
const folders = (files: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const root = await mkdtemp(join(tmpdir(), "acp-client-tools-"))
      for (const [name, content] of Object.entries({ "a/agent.yaml": "", "b/agent.yaml": "", ...files })) {
        await mkdir(dirname(join(root, name)), { recursive: true })
        await writeFile(join(root, name), content)
      }
      return { root, directories: [join(root, "a"), join(root, "b")] }
    }),
    ({ root }) => Effect.promise(() => rm(root, { recursive: true }))
  )

/** A package that only `import` can load, as those of the AI SDK are. */
const packageOf = (folder: string, name: string, code: string) => ({
  [`${folder}/node_modules/${name}/package.json`]: JSON.stringify({
    name,
    type: "module",
    exports: { ".": { import: "./main.js" }, "./part": { import: "./main.js" } }
  }),
  [`${folder}/node_modules/${name}/main.js`]: code
})

/** A `create…` whose model says its settings, its name and where it comes from. */
const factory = (name: string, mark = "", version = "v4", finish: unknown = { unified: "stop", raw: "end" }) =>
  `export const ${name} = (settings) => ({
     languageModel: (model) => ({
       specificationVersion: ${JSON.stringify(version)}, provider: "test", modelId: model, supportedUrls: {},
       doStream: async () => ({ stream: new ReadableStream({ start: (controller) => {
         controller.enqueue({ type: "text-delta", id: "1", delta: JSON.stringify([${JSON.stringify(mark)}, model, settings]) })
         controller.enqueue({ type: "finish", usage: {}, finishReason: ${JSON.stringify(finish)} })
         controller.close()
       } }) })
     })
   });`

interface Asked {
  readonly files: Readonly<Record<string, string>>
  readonly specifier?: string
}

const load = ({ files, specifier = "@x/tiny" }: Asked) =>
  Effect.gen(function* () {
    const { directories, root } = yield* folders(files)
    const options = { specifier, directories, name: "m", settings: { baseURL: "http://h/v1", region: "eu" } }
    const loaded = yield* ProviderPackage.languageModel(options).pipe(
      Effect.mapError(({ key, message }) => ({ key, message: message.replaceAll(root, "ROOT") }))
    )
    return yield* Stream.runCollect(
      LanguageModel.toModel(loaded).answer({ systemPrompt: undefined, messages: [], tools: [], index: 0 })
    )
  }).pipe(Effect.scoped)

const marked = (mark: string): ReadonlyArray<ModelEvent> => [
  { type: "text", text: JSON.stringify([mark, "m", { baseURL: "http://h/v1", region: "eu" }]) },
  { type: "finish", reason: "stop" }
]

describe("the package of a provider", () => {
  it.effect("is the one beside the agent file, then the one where the agent runs [CFG-1.l]", () =>
    Effect.gen(function* () {
      const [inA, inB] = ["a", "b"].map((folder) => packageOf(folder, "@x/tiny", factory("createTiny", folder)))
      assert.deepStrictEqual(yield* load({ files: { ...inA, ...inB } }), [...marked("a")])
      assert.deepStrictEqual(yield* load({ files: { ...inB } }), [...marked("b")])
      assert.deepStrictEqual(yield* load({ files: { ...inB }, specifier: "@x/tiny/part" }), [...marked("b")])
    })
  )

  it.effect("makes its model with the create… of its name, or the first that makes one [CFG-1.l]", () =>
    Effect.gen(function* () {
      const others = `export const createId = () => "id"; export const created = 5; ${factory("createAnything", "other")}`
      const both = others + factory("createTiny", "own")
      assert.deepStrictEqual(yield* load({ files: packageOf("a", "@x/tiny", both) }), [...marked("own")])
      assert.deepStrictEqual(yield* load({ files: packageOf("a", "@x/tiny", others) }), [...marked("other")])
    })
  )

  for (const [version, finish] of [
    ["v2", "stop"],
    ["v3", { unified: "stop", raw: "end_turn" }]
  ] as const) {
    it.effect(`may implement ${version} of the interface [CFG-1.l]`, () =>
      Effect.gen(function* () {
        const files = packageOf("a", "@x/tiny", factory("createTiny", "", version, finish))
        assert.deepStrictEqual(yield* load({ files }), [...marked("")])
      })
    )
  }

  const faults: ReadonlyArray<readonly [what: string, asked: Asked, key: string, message: string | RegExp]> = [
    [
      "is not installed",
      { files: {} },
      "provider",
      'model.provider: @x/tiny is neither built in (script and openai-compatible are) nor installed in ROOT/a or ROOT/b; npm install --prefix "ROOT/a" @x/tiny'
    ],
    [
      "is asked for a part and not installed",
      { files: {}, specifier: "tiny/part" },
      "provider",
      /; npm install --prefix "ROOT\/a" tiny$/
    ],
    [
      "has no such part",
      { files: packageOf("a", "@x/tiny", ""), specifier: "@x/tiny/other" },
      "provider",
      /^model\.provider: @x\/tiny\/other cannot be loaded: Package subpath '\.\/other' is not defined/
    ],
    [
      "throws when it is loaded",
      { files: packageOf("a", "@x/tiny", 'throw new Error("needs a newer Node")') },
      "provider",
      "model.provider: @x/tiny cannot be loaded: needs a newer Node"
    ],
    [
      "is not whole",
      { files: packageOf("a", "@x/tiny", 'import "@x/utils"') },
      "provider",
      /^model\.provider: @x\/tiny cannot be loaded: Cannot find package '@x\/utils'/
    ],
    [
      "is something else",
      { files: packageOf("a", "@x/tiny", "export const createTiny = () => 5; export default class {}") },
      "provider",
      "model.provider: @x/tiny is no provider of the AI SDK: none of its exports is a function create… that makes one"
    ],
    [
      "does not take its options",
      { files: packageOf("a", "@x/tiny", 'export const createTiny = () => { throw new Error("which project?") }') },
      "options",
      "model.options: createTiny of @x/tiny says: which project?"
    ],
    [
      "does not have the model",
      {
        files: packageOf(
          "a",
          "@x/tiny",
          'export const createTiny = () => ({ languageModel: (m) => { throw new Error("no model " + m) } })'
        )
      },
      "name",
      "model.name: @x/tiny says: no model m"
    ],
    [
      "is of a version nobody knows",
      { files: packageOf("a", "@x/tiny", factory("createTiny", "", "v9")) },
      "provider",
      "model.provider: @x/tiny makes no model of the AI SDK's interface in a version known here (v2, v3, v4); install another version of it"
    ]
  ]
  for (const [what, asked, key, message] of faults) {
    it.effect(`that ${what} is told in one sentence [CFG-4.b]`, () =>
      Effect.gen(function* () {
        const fault = yield* Effect.flip(load(asked))
        assert.strictEqual("key" in fault ? fault.key : undefined, key)
        if (typeof message === "string") assert.strictEqual(fault.message, message)
        else assert.match(fault.message, message)
      })
    )
  }
})
