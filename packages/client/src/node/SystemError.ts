/** Errors of the operating system in words for the agent and the user. Used by whatever here touches files. */
import { Json, Wording } from "@acp-client-tools/protocol"
import * as ToolResult from "../ToolResult.ts"

const reasons: Partial<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of the path is not a folder",
  ELOOP: "its symbolic links lead in a circle",
  ENAMETOOLONG: "its name is too long",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left",
  EDQUOT: "no space left",
  EMFILE: "too many open files"
}

/** The code an error carries: `ENOENT`. */
export const code = (cause: unknown): string => String(Json.get(cause, "code"))

/** Why it happened. */
export const reason = (cause: unknown): string =>
  reasons[code(cause)] ?? ToolResult.failureText(cause) ?? Wording.noReason
