import { assert, describe, it } from "vitest"
import { packages, type Package } from "../src/workspace.ts"

const members = new Map(packages.map(({ manifest }) => [manifest.name, manifest]))
const libraryName = (short: string): string => `@acp-client-tools/${short}`

/** The packages of the workspace that one names itself. */
const neededBy = (name: string): ReadonlyArray<string> =>
  Object.keys({ ...members.get(name)?.dependencies, ...members.get(name)?.devDependencies }).filter((dependency) =>
    members.has(dependency)
  )

/** The first way from a package back to itself; nothing when there is none. */
const cycle = (name: string, way: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  if (way.includes(name)) return [...way.slice(way.indexOf(name)), name]
  for (const next of neededBy(name)) {
    const found = cycle(next, [...way, name])
    if (found.length > 0) return found
  }
  return []
}

/** Everything a package needs, and that needs in turn. */
const reachable = (name: string): ReadonlySet<string> => {
  const found = new Set<string>()
  const pending = [...neededBy(name)]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!found.has(next)) pending.push(...neededBy(next))
    found.add(next)
  }
  return found
}

const runtime = ({ manifest }: Package): ReadonlyArray<string> =>
  Object.keys(manifest.dependencies ?? {}).filter((dependency) => members.has(dependency))

describe("the packages of the workspace", () => {
  it("depend on one another without a cycle, tests included", () => {
    for (const name of members.keys()) assert.deepStrictEqual(cycle(name), [])
  })

  it("lie in order: spec needs none of them, and protocol needs spec at most", () => {
    assert.deepStrictEqual(neededBy(libraryName("spec")), [])
    assert.includeMembers([libraryName("spec")], [...neededBy(libraryName("protocol"))])
  })

  it.each(["agent", "client"])("lie in order: %s needs protocol, and the other side not even for its tests", (side) => {
    assert.include(neededBy(libraryName(side)), libraryName("protocol"))
    assert.notInclude([...reachable(libraryName(side))], libraryName(side === "agent" ? "client" : "agent"))
  })

  it("lie in order: no library needs an app, an example or the tooling", () => {
    const above = packages
      .filter(({ directory }) => !directory.startsWith("packages/"))
      .map(({ manifest }) => manifest.name)
    for (const { directory, manifest } of packages.filter((one) => one.directory.startsWith("packages/"))) {
      for (const name of above) assert.notInclude([...reachable(manifest.name)], name, directory)
    }
  })

  it("bring one another along only downwards: protocol for both sides, spec for the conformance runner", () => {
    const brought = packages
      .filter((one) => one.directory.startsWith("packages/"))
      .map((one) => [one.manifest.name, runtime(one)])
    assert.deepStrictEqual(Object.fromEntries(brought), {
      [libraryName("agent")]: [libraryName("protocol")],
      [libraryName("client")]: [libraryName("protocol")],
      [libraryName("conformance")]: [libraryName("spec")],
      [libraryName("protocol")]: [],
      [libraryName("spec")]: []
    })
  })
})
