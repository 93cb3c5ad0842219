/** Errors of the operating system in words for the user. Used by whatever here reads or writes files. */
import { Json } from "@acp-client-tools/protocol"

const reasons: Partial<Record<string, string>> = {
  ENOENT: "there is no such file",
  EEXIST: "there is a file of that name",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is not a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  EFBIG: "the file would become too large",
  ENOSPC: "no space left",
  EDQUOT: "no space left",
  EMFILE: "too many open files"
}

/** The code an error carries: `ENOENT`. */
export const code = (cause: unknown): string => String(Json.get(cause, "code"))

/** Why it happened. */
export const reason = (cause: unknown): string =>
  reasons[code(cause)] ?? (cause instanceof Error ? cause.message : String(cause))
