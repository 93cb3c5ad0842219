/** A folder of files for one test, removed behind it. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

export interface Folder extends AsyncDisposable {
  readonly path: (name: string) => string
}

/** A folder with these files: names and contents. */
export const make = async (files: Readonly<Record<string, string>>): Promise<Folder> => {
  const directory = await mkdtemp(join(tmpdir(), "acp-client-tools-"))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), content)
  }
  return {
    path: (name) => join(directory, name),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true })
  }
}
