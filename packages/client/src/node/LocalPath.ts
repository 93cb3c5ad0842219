/**
 * Paths that an agent names, held inside the folders it may use: neither `..` nor a symbolic link leads out. Used by
 * LocalFiles and LocalTerminals. All here is done at once, without a wait between its steps.
 */
import { readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { RequestError } from "@agentclientprotocol/sdk"
import { Identifiers, SystemError, Wording } from "@acp-client-tools/protocol"
import type { Folders } from "../reference/Service.ts"

/** The folders an agent may use in a session: the session's own, and those it may use in every one. */
export const foldersOf = (
  { additionalDirectories, cwd }: Folders,
  roots: ReadonlyArray<string> = []
): ReadonlyArray<string> => [cwd, ...additionalDirectories, ...roots]

const linkTarget = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Where a path leads, whether or not anything is there: the real path of what exists of it, and the rest. */
const real = (path: string): string => {
  try {
    return realpathSync.native(path)
  } catch (cause) {
    const folder = dirname(path)
    if (SystemError.code(cause) !== "ENOENT" || folder === path) throw cause
    // A link to what is not there (yet) leads there all the same.
    const target = linkTarget(path)
    return target === undefined ? join(real(folder), basename(path)) : real(resolve(real(folder), target))
  }
}

const isInside = (path: string, folder: string): boolean => {
  const way = relative(folder, path)
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/**
 * The real path of what an agent names, which may not exist yet. Throws error -32602 for a path that is not absolute or
 * leads out of the folders, and what the system says of one that leads nowhere.
 */
export const inside = (path: string, folders: ReadonlyArray<string>): string => {
  if (!isAbsolute(path))
    throw new RequestError(Identifiers.INVALID_PARAMS, Wording.pathMustBeAbsolute(path, folders.join(" or ")))
  const found = real(resolve(path))
  if (!folders.some((folder) => isAbsolute(folder) && isInside(found, real(folder)))) {
    throw new RequestError(Identifiers.INVALID_PARAMS, Wording.pathOutside(path, folders))
  }
  return found
}
