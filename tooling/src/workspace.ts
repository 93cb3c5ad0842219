/** The packages of this workspace as their manifests say. Read by the checks on how they depend on one another. */
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"

export type Dependencies = Readonly<Record<string, string>>

/** An entry's file, or its file for types and its file for everyone. */
export type Entry = string | { readonly types: string; readonly default: string }

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, Entry>>
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, Entry>> }
  readonly dependencies?: Dependencies
  readonly devDependencies?: Dependencies
  readonly peerDependencies?: Dependencies
}

export interface Package {
  /** As in pnpm-workspace.yaml, for example `packages/spec`. */
  readonly directory: string
  readonly manifest: Manifest
}

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** The text of a file, named from the root. */
export const read = (path: string): string => readFileSync(join(root, path), "utf8")

const settings: { readonly packages: ReadonlyArray<string>; readonly catalog: Dependencies } = parse(
  read("pnpm-workspace.yaml")
)

/** The one version of everything that is installed. */
export const catalog = settings.catalog

const fromDirectory = (directory: string): Package => ({
  directory,
  manifest: JSON.parse(read(join(directory, "package.json")))
})

/** Every package but the root, by directory. */
export const packages: ReadonlyArray<Package> = globSync(
  settings.packages.map((pattern) => `${pattern}/package.json`),
  { cwd: root }
)
  .map((file) => fromDirectory(dirname(file)))
  .toSorted((a, b) => (a.directory < b.directory ? -1 : 1))

/** The package in a directory. */
export const packageIn = (directory: string): Package => {
  const found = packages.find((candidate) => candidate.directory === directory)
  if (found === undefined) throw new Error(`there is no package in ${directory}`)
  return found
}
