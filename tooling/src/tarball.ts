/** A package as it would be published: packed, and looked at from outside. Made and read by pack-check. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import * as Command from "./command.ts"
import { root, type Package } from "./workspace.ts"

export interface Tarball extends Package {
  readonly path: string
  /** The paths inside. */
  readonly files: ReadonlyArray<string>
}

interface Packed {
  readonly name: string
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/**
 * Packs packages into a folder. By pnpm, which puts `publishConfig.exports` in the place of `exports` and versions in the
 * place of `workspace:` and `catalog:`; npm does neither.
 */
export const pack = async (packages: ReadonlyArray<Package>, folder: string): Promise<ReadonlyArray<Tarball>> => {
  const filters = packages.flatMap(({ manifest }) => ["--filter", manifest.name])
  const ended = await Command.run("pnpm", ["-r", ...filters, "pack", "--json", "--pack-destination", folder], {
    cwd: root
  })
  if (!ended.ok) throw new Error(`pnpm pack: ${ended.said}`)
  const output: Packed | ReadonlyArray<Packed> = JSON.parse(ended.stdout)
  const packed = new Map([output].flat().map((one) => [one.name, one]))
  return packages.map((one) => {
    const made = packed.get(one.manifest.name)
    if (made === undefined) throw new Error(`pnpm pack made no tarball of ${one.manifest.name}`)
    return { ...one, path: made.filename, files: made.files.map(({ path }) => path) }
  })
}

const missing = ({ files }: Tarball): ReadonlyArray<string> =>
  ["LICENSE", "README.md", "package.json"].filter((name) => !files.includes(name)).map((name) => `has no ${name}`)

/** `tsc -b` and the cache of turbo add files to `dist` and never take one away. */
const leftOver = ({ files }: Tarball): ReadonlyArray<string> =>
  files
    .filter((file) => files.some((other) => other.startsWith("src/")) && /^dist\/.*\.js$/.test(file))
    .filter((file) => !files.includes(file.replace(/^dist\/(.*)\.js$/, "src/$1.ts")))
    .map((file) => `carries ${file}, which has no source any more: delete dist and node_modules/.cache of the package`)

const lint = async ({ path }: Tarball): Promise<ReadonlyArray<string>> => {
  const { buffer, byteOffset, byteLength } = await readFile(path)
  const tarball = buffer.slice(byteOffset, byteOffset + byteLength)
  const { messages, pkg } = await publint({ pack: { tarball } })
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`)
}

/** The types as every resolver finds them. The wildcard entries of spec are skipped by attw itself; they are data. */
const types = async ({ manifest, path }: Tarball): Promise<ReadonlyArray<string>> => {
  if (manifest.exports === undefined) return []
  const args = [
    path,
    "--profile",
    "esm-only",
    "--no-definitely-typed",
    "--format",
    "ascii",
    "--no-summary",
    "--no-color",
    "--no-emoji"
  ]
  return Command.fault("attw", await Command.run(join(root, "tooling/node_modules/.bin/attw"), args, { cwd: root }))
}

/** What is wrong with a tarball, a line each. */
export const faults = async (tarball: Tarball): Promise<ReadonlyArray<string>> => {
  const [linted, typed] = await Promise.all([lint(tarball), types(tarball)])
  return [...missing(tarball), ...leftOver(tarball), ...linted, ...typed]
}
