/** Figures that were measured, kept in `bench/results/` as JSON and as a page, with the machine they are of. Written by `pnpm soak`. */
import { mkdir, writeFile } from "node:fs/promises"
import { cpus } from "node:os"
import { fileURLToPath } from "node:url"

export interface Results {
  /** The name of the files. */
  readonly name: string
  readonly title: string
  /** Lines of Markdown. */
  readonly page: ReadonlyArray<string>
  /** The same and more, for programs. */
  readonly data: unknown
}

/** The machine and the day, in words. */
export const machine = (): string => {
  const [cpu] = cpus()
  return `Node ${process.version}, ${process.platform}, ${cpus().length} × ${cpu?.model.trim() ?? "?"}`
}

/** A table in Markdown. */
export const table = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number>>
): ReadonlyArray<string> => [
  `| ${head.join(" | ")} |`,
  `|${head.map(() => " --- |").join("")}`,
  ...rows.map((row) => `| ${row.join(" | ")} |`)
]

/** The value below which the part `q` of all values lies. */
export const quantile = (values: ReadonlyArray<number>, q: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN

const directory = fileURLToPath(new URL("../../../bench/results/", import.meta.url))

export const write = async ({ data, name, page, title }: Results): Promise<void> => {
  const day = new Date().toISOString().slice(0, 10)
  await mkdir(directory, { recursive: true })
  const lines = [`# ${title}`, "", `${machine()}, ${day}.`, "", ...page, ""]
  await writeFile(`${directory}${name}.md`, lines.join("\n"))
  await writeFile(
    `${directory}${name}.json`,
    `${JSON.stringify({ machine: machine(), day, ...Object(data) }, null, 2)}\n`
  )
}
