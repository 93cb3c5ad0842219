import { globSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "vitest"
import { reach, type Reach } from "../src/module-graph.ts"
import { mentions } from "../src/public-types.ts"
import { packageIn, packages, root, type Entry, type Package } from "../src/workspace.ts"

const protocol = "@acp-client-tools/protocol"
const spec = "@acp-client-tools/spec"
const acp = "@agentclientprotocol/sdk"

const ajv = ["ajv", "ajv/dist/2020.js"]

/** What each entry of the two sides loads: with it, and later. A new line here is a new burden on whoever imports it. */
const expected: Readonly<Record<"agent" | "client", Readonly<Record<string, Reach>>>> = {
  agent: {
    ".": { eager: [protocol, "effect"], lazy: [] },
    "./reference": { eager: [protocol, acp, "effect"], lazy: [] },
    "./node": {
      eager: [
        protocol,
        acp,
        "effect",
        "import-meta-resolve",
        "node:child_process",
        "node:fs",
        "node:fs/promises",
        "node:os",
        "node:path",
        "node:stream",
        "node:timers/promises",
        "node:url",
        "node:util",
        "yaml"
      ],
      // The computed one is the package of a provider that the agent file names.
      lazy: ["@ai-sdk/openai-compatible", "import(url)"]
    },
    "./promise": { eager: [protocol, "effect"], lazy: [] },
    "./ai-sdk": { eager: [protocol, "effect"], lazy: ["@ai-sdk/openai-compatible"] },
    "./mcp": {
      eager: [
        protocol,
        "@modelcontextprotocol/client",
        "@modelcontextprotocol/client/stdio",
        "effect",
        "node:child_process",
        "node:timers/promises"
      ],
      lazy: []
    }
  },
  client: {
    ".": { eager: [protocol, acp, ...ajv, "effect"], lazy: [] },
    "./reference": { eager: [protocol, acp, ...ajv, "effect"], lazy: [] },
    "./node": {
      eager: [protocol, acp, "effect", "node:child_process", "node:fs", "node:fs/promises", "node:path"],
      lazy: []
    },
    "./promise": {
      eager: [protocol, acp, ...ajv, "effect"],
      lazy: ["node:child_process"]
    }
  }
}
const sides = ["agent", "client"] as const

const library = (short: string): Package => packageIn(`packages/${short}`)
const pathIn = ({ directory }: Package, path: string): string => join(root, directory, path)

/** The entries that are modules, each with its source. */
const modules = ({ manifest }: Package): ReadonlyArray<readonly [string, string]> =>
  Object.entries(manifest.exports ?? {}).flatMap(([entry, file]) =>
    typeof file === "string" && file.endsWith(".ts") ? [[entry, file] as const] : []
  )

const sourceOf = (short: string, entry: string): string => {
  const source = Object.fromEntries(modules(library(short)))[entry]
  if (source === undefined) throw new Error(`packages/${short} has no entry ${entry}`)
  return pathIn(library(short), source)
}

/** What every file of a library reaches, exported or not. */
const reachOfAll = (short: string): ReadonlyArray<string> => {
  const { eager, lazy } = reach(...globSync(pathIn(library(short), "src/**/*.ts")).map((file) => pathToFileURL(file)))
  return [...eager, ...lazy]
}

const publicMentions = (packageName: string, short: string, entry: string): ReadonlyArray<string> =>
  mentions(packageName, { project: pathIn(library(short), "tsconfig.json"), file: sourceOf(short, entry) })

/** An entry as it is published, of the entry in development. */
const built = ([entry, file]: readonly [string, Entry]): readonly [string, Entry] => {
  if (typeof file !== "string" || !file.endsWith(".ts")) return [entry, file]
  const stem = file.replace("./src/", "./dist/").slice(0, -".ts".length)
  return [entry, { types: `${stem}.d.ts`, default: `${stem}.js` }]
}

/** `node:fs/promises` stays, `effect/testing` is `effect`. */
const packageOf = (specifier: string): string =>
  specifier.startsWith("node:") ? specifier : (/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier)

const isComputed = (specifier: string): boolean => specifier.startsWith("import(")

describe.each(sides)("the entries of packages/%s", (side) => {
  it("are all pinned here, and nothing else is", () => {
    assert.sameMembers(
      modules(library(side)).map(([entry]) => entry),
      Object.keys(expected[side])
    )
  })

  it.each(Object.entries(expected[side]))("load with %s exactly what is pinned, and the rest late", (entry, pinned) => {
    assert.deepStrictEqual(reach(pathToFileURL(sourceOf(side, entry))), pinned)
  })

  it.each([".", "./reference", "./promise"])("load no part of Node with %s", (entry) => {
    const { eager } = reach(pathToFileURL(sourceOf(side, entry)))
    assert.deepStrictEqual(
      eager.filter((specifier) => specifier.startsWith("node:")),
      []
    )
  })

  it("name Effect in the types of the root entry: the next check can see it", () => {
    assert.isNotEmpty(publicMentions("effect", side, "."))
  })

  it("name no type of Effect in what ./promise exports", () => {
    assert.deepStrictEqual(publicMentions("effect", side, "./promise"), [])
  })
})

describe("the libraries below", () => {
  it("reach Node and spec alone from conformance", () => {
    const others = reachOfAll("conformance").filter((specifier) => !specifier.startsWith("node:"))
    assert.includeMembers([spec], others)
  })

  it("reach effect and fastest-levenshtein alone from protocol", () => {
    assert.deepStrictEqual(reachOfAll("protocol"), ["effect", "fastest-levenshtein"])
  })

  it("reach Node alone from spec", () => {
    assert.deepStrictEqual(
      reachOfAll("spec").filter((specifier) => !specifier.startsWith("node:")),
      []
    )
  })
})

describe.each(packages.filter(({ directory }) => directory.startsWith("packages/")))(
  "the manifest of $directory",
  (one) => {
    const { dependencies, peerDependencies, exports = {}, publishConfig } = one.manifest

    it("declares every package that a file of the library imports", () => {
      const declared = Object.keys({ ...dependencies, ...peerDependencies })
      const imported = reachOfAll(one.directory.slice("packages/".length)).map(packageOf)
      assert.includeMembers(
        declared,
        imported.filter((name) => !name.startsWith("node:") && !isComputed(name))
      )
    })

    it("publishes the entries it has here, each from the file built of its source", () => {
      assert.deepStrictEqual(publishConfig?.exports, Object.fromEntries(Object.entries(exports).map(built)))
    })
  }
)
