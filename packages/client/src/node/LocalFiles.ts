/**
 * ACP `fs` on this machine's disk: text files in a session's folders. Offered to agents by a client that has no editor with
 * unsaved changes.
 */
import { accessSync, constants, mkdirSync, type Stats, statSync } from "node:fs"
import { chmod, type FileHandle, open, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type ReadTextFileRequest, RequestError, type WriteTextFileRequest } from "@agentclientprotocol/sdk"
import { Identifiers, SystemError, Wording } from "@acp-client-tools/protocol"
import type { FileSystem } from "../reference/FileSystem.ts"
import type { Context } from "../reference/Service.ts"
import * as InTurn from "./InTurn.ts"
import * as LocalPath from "./LocalPath.ts"

export interface Options {
  /** Folders that may be used in every session beside its own. Absolute paths. */
  readonly roots?: ReadonlyArray<string> | undefined
  /** The most that is read at once, in bytes: 16 MiB when absent. */
  readonly maxBytes?: number | undefined
}

export interface LocalFiles extends FileSystem {
  /**
   * The text byte for byte, line ends included. A file too long to be read at once is read in parts, by `line` and `limit`;
   * a part behind its last line is empty.
   */
  readonly readTextFile: (request: ReadTextFileRequest, context: Context) => Promise<string>
  /**
   * Writes the whole file or, when that fails, nothing. Makes the folders that are missing, keeps the permissions of a file
   * that is there, and goes where a symbolic link leads.
   */
  readonly writeTextFile: (request: WriteTextFileRequest, context: Context) => Promise<void>
}

const MAX_BYTES = 16 * 1024 * 1024
const CHUNK = 64 * 1024
const NEWLINE = 10
const RESOURCE_NOT_FOUND = -32002

/** What was thrown, as the agent should read it; `words` puts a reason of the system into a sentence. */
const failure = (cause: unknown, path: string, words: (path: string, why: string) => string): Error => {
  if (cause instanceof RequestError) return cause
  if (SystemError.code(cause) === "ENOENT") {
    return new RequestError(RESOURCE_NOT_FOUND, Wording.fileMissing(path), { path })
  }
  return new Error(words(path, SystemError.reason(cause)), { cause })
}

/** Refuses what is no file before it is opened: a pipe would wait for its other end, and a device may do anything. */
const checkFile = (path: string, stats: Stats): void => {
  if (stats.isDirectory()) throw new RequestError(Identifiers.INVALID_PARAMS, Wording.pathIsFolder(path))
  if (!stats.isFile()) throw new RequestError(Identifiers.INVALID_PARAMS, Wording.pathIsNoFile(path))
}

/** A part of a file: lines from `first`, counted from 1, up to but not including `end`. */
interface Lines {
  readonly first: number
  readonly end: number
}

/** Takes the lines out of a file that comes in chunks. */
const cutter = ({ end, first }: Lines) => {
  let line = 1
  // The place in the chunk where a line begins, or the chunk's length when it does not begin in this chunk.
  const beginOf = (wanted: number, chunk: Buffer, from: number): number => {
    let at = from
    while (line < wanted) {
      const newline = chunk.indexOf(NEWLINE, at)
      if (newline < 0) return chunk.length
      at = newline + 1
      line++
    }
    return at
  }
  return {
    cut: (chunk: Buffer): Buffer => {
      const from = beginOf(first, chunk, 0)
      return chunk.subarray(from, beginOf(end, chunk, from))
    },
    isOver: () => line >= end
  }
}

/** The bytes of the lines; `undefined` when they are more than `maxBytes`. Reads no further than it must. */
const readLines = async (
  file: FileHandle,
  lines: Lines,
  maxBytes: number,
  signal: AbortSignal
): Promise<Buffer | undefined> => {
  const { cut, isOver } = cutter(lines)
  const chunk = Buffer.alloc(CHUNK)
  const kept: Array<Buffer> = []
  let size = 0
  while (!isOver()) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(chunk, 0, CHUNK)
    if (bytesRead === 0) break
    const part = Buffer.from(cut(chunk.subarray(0, bytesRead)))
    size += part.length
    if (size > maxBytes) return undefined
    kept.push(part)
  }
  return Buffer.concat(kept, size)
}

/** The text, a byte-order mark included; `undefined` for what is no text. */
const decode = (bytes: Buffer): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const read = async (
  { limit, line, path }: ReadTextFileRequest,
  found: string,
  maxBytes: number,
  signal: AbortSignal
): Promise<string> => {
  const first = line ?? 1
  if (first < 1) throw new RequestError(Identifiers.INVALID_PARAMS, Wording.linesCountFromOne)
  checkFile(path, statSync(found))
  // Whatever has come into its place meanwhile: no link is followed, and no pipe waited for. On Windows there is neither.
  const file = await open(found, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const bytes = await readLines(file, { first, end: first + (limit ?? Infinity) }, maxBytes, signal)
    if (bytes === undefined) throw new RequestError(Identifiers.INVALID_PARAMS, Wording.fileTooLong(path, maxBytes))
    const text = decode(bytes)
    if (text === undefined) throw new RequestError(Identifiers.INVALID_PARAMS, Wording.fileNotText(path))
    return text
  } finally {
    await file.close()
  }
}

/** Puts a file in the place of what is there, by way of one beside it that is complete before it takes that place. */
const write = async ({ content, path }: WriteTextFileRequest, found: string, signal: AbortSignal): Promise<void> => {
  const before = statSync(found, { throwIfNoEntry: false })
  if (before !== undefined) {
    checkFile(path, before)
    // The folder alone decides whether a file can be replaced; one that must not be written stays.
    accessSync(found, constants.W_OK)
  }
  mkdirSync(dirname(found), { recursive: true })
  const mode = before === undefined ? 0o666 : before.mode & 0o777
  const temporary = join(dirname(found), `.${crypto.randomUUID()}.tmp`)
  try {
    await writeFile(temporary, content, { flag: "wx", flush: true, mode })
    if (before !== undefined) await chmod(temporary, mode)
    signal.throwIfAborted()
    await rename(temporary, found)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw cause
  }
}

/** The files of the session's folders. */
export const make = ({ maxBytes = MAX_BYTES, roots }: Options = {}): LocalFiles => {
  // An agent need not wait for a write before it writes again, or reads.
  const inTurn = InTurn.make()
  return {
    readTextFile: async (request, context) => {
      try {
        const path = LocalPath.inside(request.path, LocalPath.foldersOf(context, roots))
        return await inTurn(path, () => read(request, path, maxBytes, context.signal))
      } catch (cause) {
        throw failure(cause, request.path, Wording.fileNotRead)
      }
    },
    writeTextFile: async (request, context) => {
      try {
        const path = LocalPath.inside(request.path, LocalPath.foldersOf(context, roots))
        await inTurn(path, () => write(request, path, context.signal))
      } catch (cause) {
        throw failure(cause, request.path, Wording.fileNotWritten)
      }
    }
  }
}
