import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { catalog, packages, read, type Manifest } from "../src/workspace.ts"

interface Lockfile {
  readonly packages: Readonly<Record<string, object>>
}

const shared = ["effect", "@agentclientprotocol/sdk", "zod"]
const lockfile: Lockfile = parse(read("pnpm-lock.yaml"))
const rootManifest: Manifest = JSON.parse(read("package.json"))
const manifests = [rootManifest, ...packages.map(({ manifest }) => manifest)]
const libraries = packages.filter(({ directory }) => directory.startsWith("packages/"))

/** The versions of a package that an install brings. */
const resolved = (name: string): ReadonlyArray<string> =>
  Object.keys(lockfile.packages)
    .filter((key) => key.startsWith(`${name}@`))
    .map((key) => key.slice(name.length + 1))

/** What the catalog installs under another name: agents by others, to try our client with. */
const aliases = Object.entries(catalog).filter(([, version]) => version.startsWith("npm:"))

/** The versions of a package that are installed under another name. */
const aliased = (name: string): ReadonlyArray<string> =>
  aliases.flatMap(([, version]) => (version.startsWith(`npm:${name}@`) ? [version.slice(`npm:${name}@`.length)] : []))

describe("the versions of the workspace", () => {
  it.each(shared)("have one %s, the one of the catalog, beside those under another name", (name) => {
    assert.sameMembers([...resolved(name)], [catalog[name], ...aliased(name)])
  })

  it("are under another name only where they are run as a peer: in apps/e2e, to develop with", () => {
    for (const [alias] of aliases) {
      const users = manifests.filter(({ dependencies, devDependencies, peerDependencies }) =>
        [dependencies, devDependencies, peerDependencies].some((named) => Object.hasOwn(named ?? {}, alias))
      )
      assert.deepStrictEqual(
        users.map(({ name }) => name),
        ["@acp-client-tools/e2e"],
        alias
      )
    }
  })

  it.each(shared)("leave the choice of %s to who installs a library: it is a peer, never a dependency", (name) => {
    for (const { directory, manifest } of libraries) {
      assert.notProperty(manifest.dependencies ?? {}, name, directory)
    }
  })

  // pnpm lets a package import only what its manifest names, so one that uses them has them to develop with.
  it.each(["effect", "@agentclientprotocol/sdk"])("make %s a peer of every library that uses it", (name) => {
    for (const { directory, manifest } of libraries) {
      const used = Object.hasOwn(manifest.devDependencies ?? {}, name)
      assert.strictEqual(Object.hasOwn(manifest.peerDependencies ?? {}, name), used, directory)
    }
  })

  it("are written once, in the catalog: a dependency says catalog: or workspace:", () => {
    for (const { name, dependencies, devDependencies } of manifests) {
      for (const [dependency, range] of Object.entries({ ...dependencies, ...devDependencies })) {
        const expected = packages.some(({ manifest }) => manifest.name === dependency) ? /^workspace:/ : /^catalog:$/
        assert.match(range, expected, `${dependency} of ${name}`)
      }
    }
  })

  it("lie in the range of every peer that a library names", () => {
    for (const { directory, manifest } of libraries) {
      for (const [peer, range] of Object.entries(manifest.peerDependencies ?? {})) {
        const [lowest, version] = [range.replace(/^\^/, ""), catalog[peer] ?? "none"]
        assert.match(range, /^\^[1-9]\d*\.\d+\.\d+$/, `${peer} of ${directory}`)
        assert.strictEqual(lowest.split(".")[0], version.split(".")[0], `${peer} of ${directory}`)
        assert.isAtMost(lowest.localeCompare(version, "en", { numeric: true }), 0, `${peer} of ${directory}`)
      }
    }
  })
})
