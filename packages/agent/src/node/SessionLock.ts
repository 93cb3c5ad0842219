/**
 * Who has a session: a file beside the session's that names the owning process (SESS-1). Taken by SessionFiles when a
 * session is opened. No file is held open and no timer runs for it; the lock of a process that died is worth nothing.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { SystemError, Wording } from "@acp-client-tools/protocol"
import * as ProcessIdentity from "./ProcessIdentity.ts"

/** A lock that comes and goes that often is none: a link that leads nowhere is there, and cannot be read. */
const MAX_ATTEMPTS = 1_000

/** What file systems without hard links answer. */
const withoutLinks: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])

/** Links `own` to the lock's path, which at most one process can; false when there is a lock. */
const link = (own: string, path: string): boolean => {
  try {
    linkSync(own, path)
    return true
  } catch (cause) {
    if (SystemError.code(cause) === "EEXIST") return false
    throw withoutLinks.has(SystemError.code(cause)) ? new Error(Wording.noHardLinks, { cause }) : cause
  }
}

/** The owner a lock names; `undefined` when there is no lock, a lock that cannot be read names nobody who lives. */
const ownerOf = (path: string): ProcessIdentity.ProcessIdentity | "nobody" | undefined => {
  try {
    return ProcessIdentity.decode(readFileSync(path, "utf8")) ?? "nobody"
  } catch (cause) {
    if (SystemError.code(cause) === "ENOENT") return undefined
    throw cause
  }
}

/** Takes the lock. Gives the owner when somebody else has it. Throws an error of the system when it cannot be taken. */
export const acquire = (path: string): ProcessIdentity.ProcessIdentity | undefined => {
  const own = `${path}.${process.pid}.${crypto.randomUUID()}`
  try {
    writeFileSync(own, JSON.stringify(ProcessIdentity.self()), { mode: 0o600, flag: "wx" })
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (link(own, path)) return undefined
      const owner = ownerOf(path)
      if (owner === undefined) continue
      if (owner !== "nobody" && ProcessIdentity.state(owner) !== "dead") return owner
      const rival = takeOver(own, path)
      if (rival !== "again") return rival
    }
    throw new Error(Wording.lockUnreadable)
  } finally {
    rmSync(own, { force: true })
  }
}

/**
 * Puts `own` in the place of a dead owner's lock. Only who has the lock's own lock may: else the second of two processes
 * that saw the dead owner would throw out the first.
 */
const takeOver = (own: string, path: string): ProcessIdentity.ProcessIdentity | "again" | undefined => {
  const guard = `${path}.takeover`
  const rival = acquire(guard)
  if (rival !== undefined) return rival
  try {
    const owner = ownerOf(path)
    if (owner === undefined || (owner !== "nobody" && ProcessIdentity.state(owner) !== "dead")) return "again"
    renameSync(own, path)
    return undefined
  } finally {
    release(guard)
  }
}

/** Gives the lock up, if this process has it. */
export const release = (path: string): void => {
  const owner = ownerOf(path)
  if (owner === undefined || owner === "nobody" || !ProcessIdentity.isSelf(owner)) return
  rmSync(path, { force: true })
}
