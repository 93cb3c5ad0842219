/**
 * The files of this machine for the agent's own tools, inside a session's folder: neither `..` nor a symbolic link leads out
 * (OWN-2). Given to AgentApp by the command line.
 */
import { constants, realpathSync, statSync } from "node:fs"
import { type FileHandle, open, readdir } from "node:fs/promises"
import { isAbsolute, relative, resolve, sep } from "node:path"
import { SystemError, Wording } from "@acp-client-tools/protocol"
import { Effect } from "effect"
import { type Entry, FileRefused, type Files, type ReadRequest } from "../reference/Files.ts"

/** How much of a file is looked at, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024

const refuse = (message: string): FileRefused => new FileRefused({ message })

/** The real path of what the model named. Throws what the system says of a path that leads nowhere. */
const inside = ({ cwd, path }: Pick<ReadRequest, "cwd" | "path">): string => {
  const folder = realpathSync.native(cwd)
  const found = realpathSync.native(resolve(folder, path))
  const way = relative(folder, found)
  if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) throw refuse(Wording.pathOutside(path, [cwd]))
  return found
}

/** The beginning of a file, at most one byte more than is looked at. */
const beginning = async (file: FileHandle, signal: AbortSignal): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of file.createReadStream({ end: MAX_BYTES, autoClose: false, signal })) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The text of bytes, which end in the midst of a character where they are cut; `undefined` for what is no text. */
const decode = (bytes: Buffer, isCut: boolean): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}

/** Some lines of a text, their line ends included. */
const linesOf = (text: string, line: number, limit: number): ReadonlyArray<string> =>
  (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).slice(line - 1, line - 1 + limit)

const readText = async ({ cwd, limit, line, path }: ReadRequest, signal: AbortSignal): Promise<string> => {
  const found = inside({ cwd, path })
  const stats = statSync(found)
  if (stats.isDirectory()) throw refuse(Wording.pathIsFolder(path))
  if (!stats.isFile()) throw refuse(Wording.pathIsNoFile(path))
  // Whatever has come into its place meanwhile: no link is followed, and no pipe waited for.
  const file = await open(found, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const bytes = await beginning(file, signal)
    const isCut = bytes.length > MAX_BYTES
    const text = decode(bytes.subarray(0, MAX_BYTES), isCut)
    if (text === undefined) throw refuse(Wording.fileNotText(path))
    if (line === undefined && limit === undefined && !isCut) return text
    const lines = linesOf(text, line ?? 1, limit ?? Infinity)
    // The last line there is may go on where nobody looks.
    const isThere = !isCut || (limit !== undefined && lines.length === limit && lines.at(-1)?.endsWith("\n") === true)
    if (!isThere) throw refuse(Wording.fileTooLong(path, MAX_BYTES))
    return lines.join("")
  } finally {
    await file.close()
  }
}

const kindOf = (entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): Entry["kind"] => {
  if (entry.isFile()) return "file"
  if (entry.isDirectory()) return "folder"
  return entry.isSymbolicLink() ? "link" : "other"
}

const listFolder = async (request: Pick<ReadRequest, "cwd" | "path">): Promise<ReadonlyArray<Entry>> => {
  const found = inside(request)
  if (!statSync(found).isDirectory()) throw refuse(Wording.pathIsNoFolder(request.path))
  const entries = await readdir(found, { withFileTypes: true })
  return entries
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const refusal =
  (path: string, words: (path: string, why: string) => string) =>
  (cause: unknown): FileRefused =>
    cause instanceof FileRefused ? cause : refuse(words(path, SystemError.reason(cause)))

export const make = (): Files => ({
  read: (request) =>
    Effect.tryPromise({
      try: (signal) => readText(request, signal),
      catch: refusal(request.path, Wording.fileNotRead)
    }),
  list: (request) =>
    Effect.tryPromise({ try: () => listFolder(request), catch: refusal(request.path, Wording.folderNotListed) })
})
