/** An empty project outside the workspace that installs the tarballs, as a user would. Made and asked by pack-check. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Command from "./command.ts"
import type { Tarball } from "./tarball.ts"
import { catalog, root, type Dependencies } from "./workspace.ts"

/** What an import names, and how: a module, or data. */
interface Entry {
  readonly specifier: string
  readonly isModule: boolean
}

/** The entries of a package, those of a pattern written out by the files in the tarball. */
const entriesOf = ({ manifest, files }: Tarball): ReadonlyArray<Entry> =>
  Object.entries(manifest.exports ?? {}).flatMap(([entry, target]) => {
    const file = typeof target === "string" ? target : target.default
    const specifier = `${manifest.name}${entry.slice(1)}`
    if (!file.includes("*")) return [{ specifier, isModule: file.endsWith(".ts") }]
    const [before = "", after = ""] = file.slice(2).split("*")
    return files
      .filter((path) => path.startsWith(before) && path.endsWith(after))
      .map((path) => path.slice(before.length, path.length - after.length))
      .map((middle) => ({ specifier: specifier.replace("*", middle), isModule: false }))
  })

/** The modules of a package. */
const modulesOf = (tarball: Tarball): ReadonlyArray<string> =>
  entriesOf(tarball).flatMap(({ specifier, isModule }) => (isModule ? [specifier] : []))

/** The peers that a user adds, optional ones too, and what the peers want: the ACP SDK wants zod. */
const peers = (tarballs: ReadonlyArray<Tarball>): Dependencies => {
  const names = tarballs.flatMap(({ manifest }) => Object.keys(manifest.peerDependencies ?? {}))
  return Object.fromEntries([...names, "zod", "@types/node"].map((name) => [name, catalog[name] ?? "*"]))
}

/** Lays the project and installs it. Every import of a package from another one must be declared there to be found. */
export const install = async (tarballs: ReadonlyArray<Tarball>, folder: string): Promise<ReadonlyArray<string>> => {
  const packed = Object.fromEntries(tarballs.map(({ manifest, path }) => [manifest.name, `file:${path}`]))
  await mkdir(folder)
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({
      name: "consumer",
      version: "0.0.0",
      private: true,
      type: "module",
      dependencies: { ...peers(tarballs), ...packed }
    })
  )
  // The packages are not published yet, so they find one another here.
  await writeFile(
    join(folder, "pnpm-workspace.yaml"),
    JSON.stringify({ packages: ["."], overrides: packed, autoInstallPeers: false, strictPeerDependencies: true })
  )
  return Command.fault("pnpm install", await Command.run("pnpm", ["install", "--prefer-offline"], { cwd: folder }))
}

const node = (source: string, folder: string) =>
  Command.run(process.execPath, ["--input-type=module", "--eval", source], { cwd: folder })

const importModule = async (specifier: string, folder: string): Promise<ReadonlyArray<string>> => {
  const ended = await node(`await import(${JSON.stringify(specifier)})`, folder)
  if (!ended.ok) return [`import "${specifier}" fails: ${ended.said}`]
  return ended.said === "" ? [] : [`import "${specifier}" prints: ${ended.said}`]
}

const importData = async (specifiers: ReadonlyArray<string>, folder: string): Promise<ReadonlyArray<string>> => {
  const json = specifiers.filter((specifier) => specifier.endsWith(".json"))
  const source = `for (const name of ${JSON.stringify(json)}) await import(name, { with: { type: "json" } })`
  return json.length === 0 ? [] : Command.fault("an entry of data is not found", await node(source, folder))
}

const runBin = async ({ manifest }: Tarball, folder: string): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  for (const name of Object.keys(manifest.bin ?? {})) {
    const ended = await Command.run(join(folder, "node_modules/.bin", name), ["--version"], { cwd: folder })
    faults.push(...Command.fault(`${name} --version`, ended))
    if (ended.ok && !ended.said.includes(manifest.version)) faults.push(`${name} --version says ${ended.said}`)
  }
  return faults
}

/** Every entry of a package imported with plain Node, each module in a process of its own; every command started. */
export const run = async (tarball: Tarball, folder: string): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  for (const specifier of modulesOf(tarball)) faults.push(...(await importModule(specifier, folder)))
  const data = entriesOf(tarball).flatMap(({ specifier, isModule }) => (isModule ? [] : [specifier]))
  return [...faults, ...(await importData(data, folder)), ...(await runBin(tarball, folder))]
}

/** A program that imports every entry, and compiles only where no export is an `any`. */
const program = (specifiers: ReadonlyArray<string>): string =>
  [
    ...specifiers.map((specifier, index) => `import * as entry${index} from ${JSON.stringify(specifier)}`),
    "type Untyped<M> = { [K in keyof M]: 0 extends 1 & M[K] ? K : never }[keyof M]",
    "declare const typed: <M>(module: M, untyped: ReadonlyArray<Untyped<M>> & ReadonlyArray<never>) => void",
    "declare const nothing: <M>() => ReadonlyArray<Untyped<M>>",
    ...specifiers.map((_, index) => `typed(entry${index}, nothing<typeof entry${index}>())`)
  ].join("\n")

/** Compiles a program that uses every module of every package. */
export const compile = async (tarballs: ReadonlyArray<Tarball>, folder: string): Promise<ReadonlyArray<string>> => {
  await writeFile(join(folder, "consumer.ts"), program(tarballs.flatMap(modulesOf)))
  const compilerOptions = { module: "nodenext", target: "es2024", strict: true, skipLibCheck: true, noEmit: true }
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }))
  return Command.fault("tsc", await Command.run(join(root, "node_modules/.bin/tsc"), ["-p", folder], { cwd: folder }))
}
