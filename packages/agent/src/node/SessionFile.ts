/**
 * A session's file: JSON lines, a header and then the session's entries (SESS-2). Written and read by SessionFiles, which
 * has the lock of its session. All here is done at once, and throws what the system says; a file is open for no longer.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { Json, Wording } from "@acp-client-tools/protocol"
import * as SessionEntry from "../reference/SessionEntry.ts"

/** What begins every file. Agents refuse a greater version, and skip entries they do not know. */
const FORMAT = "acp-client-tools/session"
export const VERSION = 1

export interface Header {
  readonly version: number
  readonly cwd: string
}

/** The line that begins a file. */
export const headerLine = (cwd: string): string => `${JSON.stringify({ format: FORMAT, version: VERSION, cwd })}\n`

/** The lines of a text as JSON. What is torn, or is no JSON, is left out: a crash may have cut any line short (SESS-2). */
const jsonLines = (text: string): ReadonlyArray<unknown> =>
  text.split("\n").flatMap((line) => {
    const parsed = Json.parse(line)
    return parsed === undefined ? [] : [parsed.value]
  })

const asHeader = (line: unknown): Header | undefined => {
  const [version, cwd] = [Json.get(line, "version"), Json.get(line, "cwd")]
  if (Json.get(line, "format") !== FORMAT || typeof version !== "number" || typeof cwd !== "string") return undefined
  return { version, cwd }
}

/** The first one that is whole: one that was lost is added later. */
const headerOf = (lines: ReadonlyArray<unknown>): Header | undefined =>
  lines.map(asHeader).find((header) => header !== undefined)

const entriesOf = (lines: ReadonlyArray<unknown>): ReadonlyArray<SessionEntry.SessionEntry> =>
  lines.flatMap((line) => SessionEntry.decode(line) ?? [])

/** Holds a file's header and its title, which stands before the first prompt. */
const HEAD_BYTES = 16_384

/** Opening what is no file, a pipe for one, might wait for ever. */
const checkFile = (path: string): void => {
  if (!statSync(path).isFile()) throw new Error(Wording.notAFile)
}

/** The beginning of a file. */
export interface Head {
  readonly header: Header | undefined
  /** The session's title, where it stands in the beginning. */
  readonly title: string | undefined
  /** There is a header, and nothing behind it. */
  readonly isSilent: boolean
  /** When it was written last. */
  readonly modified: Date
}

/** Reads the beginning of a file. */
export const readHead = (path: string): Head => {
  checkFile(path)
  const file = openSync(path, "r")
  try {
    const bytes = Buffer.alloc(HEAD_BYTES)
    const text = bytes.toString("utf8", 0, readSync(file, bytes, 0, HEAD_BYTES, 0))
    const lines = jsonLines(text)
    const header = headerOf(lines)
    return {
      header,
      title: SessionEntry.titleAmong(entriesOf(lines)),
      isSilent: header !== undefined && !text.trimEnd().includes("\n"),
      modified: fstatSync(file).mtime
    }
  } finally {
    closeSync(file)
  }
}

/** A whole file. */
export interface Content {
  readonly header: Header | undefined
  readonly entries: ReadonlyArray<SessionEntry.SessionEntry>
  /** The last line may be torn: what follows has to begin on a line of its own. */
  readonly isTorn: boolean
}

export const read = (path: string): Content => {
  checkFile(path)
  const text = readFileSync(path, "utf8")
  const lines = jsonLines(text)
  return { header: headerOf(lines), entries: entriesOf(lines), isTorn: text !== "" && !text.endsWith("\n") }
}

/** Begins a file, whole or not at all; throws when there is one. */
export const create = (path: string, cwd: string): void => {
  const file = openSync(path, "wx", 0o600)
  try {
    writeFileSync(file, headerLine(cwd))
  } catch (cause) {
    rmSync(path, { force: true })
    throw cause
  } finally {
    closeSync(file)
  }
}

/** Values that are ours, and mean what they say. */
const ours: ReadonlySet<string> = new Set(["type", "kind"])

/** Values of somebody else's shape, in which a key or a number may be a secret as well. */
const foreign: ReadonlySet<string> = new Set(["rawInput", "_meta"])

/** A replacer that hides secrets while an entry is written, and leaves it an entry. */
const maskedWith =
  (mask: (text: string) => string) =>
  (key: string, value: unknown): unknown => {
    if (typeof value === "string") return ours.has(key) ? value : mask(value)
    if (!foreign.has(key)) return value
    const text = Json.stringify(value) ?? ""
    const masked = mask(text)
    return masked === text ? value : (Json.parse(masked)?.value ?? mask(text))
  }

/** The line an entry is, without what `mask` hides (CLI-6). */
export const lineOf = (entry: SessionEntry.SessionEntry, mask: (text: string) => string): string =>
  `${JSON.stringify(entry, maskedWith(mask))}\n`

/** Adds to a file, everything or nothing: what was written of it when the disk was full is taken back. */
export const append = (path: string, text: string): void => {
  const file = openSync(path, "a", 0o600)
  try {
    const { size } = fstatSync(file)
    try {
      writeFileSync(file, text)
    } catch (cause) {
      ftruncateSync(file, size)
      throw cause
    }
  } finally {
    closeSync(file)
  }
}
