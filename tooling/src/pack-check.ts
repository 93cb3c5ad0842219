/**
 * `pnpm pack:check`: builds and packs what is published, lints each tarball, and uses all of them from an empty project:
 * every entry imported, every command started, a program compiled. Exits 1 when something is off.
 */
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Command from "./command.ts"
import * as Consumer from "./consumer.ts"
import * as Tarball from "./tarball.ts"
import { packages, root } from "./workspace.ts"

const report = (name: string, faults: ReadonlyArray<string>, fine: string): number => {
  console.log(faults.length === 0 ? `${name}: ${fine}` : `${name}: NOT FIT TO PUBLISH`)
  for (const fault of faults) console.log(`  - ${fault.replaceAll("\n", "\n    ")}`)
  return faults.length
}

/** Builds from nothing: neither `tsc -b` nor turbo takes a file out of `dist` whose source is gone. */
const build = async () => {
  for (const { directory } of packages) {
    for (const made of ["dist", "node_modules/.cache"]) {
      await rm(join(root, directory, made), { recursive: true, force: true })
    }
  }
  return Command.run("pnpm", ["exec", "turbo", "run", "build", "--force", "--output-logs=errors-only"], { cwd: root })
}

const check = async (folder: string): Promise<number> => {
  const built = await build()
  if (!built.ok) return report("build", [built.said], "")

  const tarballs = await Tarball.pack(
    packages.filter(({ manifest }) => manifest.private !== true),
    folder
  )
  const project = join(folder, "consumer")
  const installed = await Consumer.install(tarballs, project)
  let count = 0
  for (const tarball of tarballs) {
    const faults = await Promise.all([
      Tarball.faults(tarball),
      installed.length === 0 ? Consumer.run(tarball, project) : []
    ])
    count += report(tarball.manifest.name, faults.flat(), `${tarball.files.length} files, as they should be`)
  }
  count += report("a project with all of them", installed, "installs")
  if (installed.length > 0) return count
  return count + report("a program with all of them", await Consumer.compile(tarballs, project), "compiles")
}

const folder = await realpath(await mkdtemp(join(tmpdir(), "pack-check-")))
try {
  const count = await check(folder)
  if (count > 0) {
    console.log(`pack:check found ${count} fault${count === 1 ? "" : "s"}`)
    process.exitCode = 1
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
