/**
 * Which process it is, beyond its id: ids are used again, and mean something on one machine only. Written into locks by
 * SessionLock, and asked whether its owner still lives.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { Json, SystemError } from "@acp-client-tools/protocol"
import { Schema } from "effect"

/** What the system does not tell is `""`. */
const ProcessIdentity = Schema.Struct({
  pid: Schema.Int.check(Schema.isGreaterThan(0)),
  /** When the process was started, in whatever form the system tells it. */
  started: Schema.String,
  /** The process ids a container has for itself. */
  space: Schema.String,
  /** The machine since it was started: the same for all its containers. */
  boot: Schema.String,
  /** For people, and to tell this machine before it was started anew from another. */
  host: Schema.String
})
export type ProcessIdentity = typeof ProcessIdentity.Type

const isIdentity = Schema.is(ProcessIdentity)

const told = (ask: () => string): string => {
  try {
    return ask().trim()
  } catch {
    return ""
  }
}

/** What a program prints, in no language and time zone of the user's. */
const printed = (command: string, ...args: ReadonlyArray<string>): string =>
  spawnSync(command, args, { encoding: "utf8", env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" } }).stdout

const isLinux = process.platform === "linux"

/** The fields of `/proc/<pid>/stat` behind the program's name, which may hold blanks and brackets. */
const STATE = 0
const STARTED = 19

const statOf = (pid: number): ReadonlyArray<string> => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
}

/** When a process was started; `undefined` when there is none, or nothing but its entry that nobody has taken note of. */
const startOf = (pid: number): string | undefined => {
  try {
    process.kill(pid, 0)
  } catch (cause) {
    if (SystemError.code(cause) !== "EPERM") return undefined
  }
  if (!isLinux) return told(() => printed("ps", "-o", "lstart=", "-p", `${pid}`))
  const stat = told(() => statOf(pid).join(" ")).split(" ")
  return stat[STATE] === "Z" || stat[STATE] === "X" ? undefined : (stat[STARTED] ?? "")
}

let own: ProcessIdentity | undefined

/** This process. */
export const self = (): ProcessIdentity =>
  (own ??= {
    pid: process.pid,
    started: startOf(process.pid) ?? "",
    space: isLinux ? told(() => readlinkSync("/proc/self/ns/pid")) : "",
    boot: told(() =>
      isLinux
        ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8")
        : printed("sysctl", "-n", "kern.bootsessionuuid")
    ),
    host: hostname()
  })

export const isSelf = (identity: ProcessIdentity): boolean => JSON.stringify(identity) === JSON.stringify(self())

/** True for a process whose id means something here. */
export const isHere = ({ boot, host, space }: ProcessIdentity): boolean => {
  const here = self()
  return space === here.space && boot === here.boot && (boot !== "" || host === here.host)
}

/** The identity a text holds; `undefined` for any other text. */
export const decode = (text: string): ProcessIdentity | undefined => {
  const value = Json.parse(text)?.value
  return isIdentity(value) ? value : undefined
}

/** Whether it runs; `elsewhere` when that cannot be seen from here. */
export const state = (identity: ProcessIdentity): "alive" | "dead" | "elsewhere" => {
  if (isHere(identity)) {
    const now = startOf(identity.pid)
    return now === undefined || (now !== "" && identity.started !== "" && now !== identity.started) ? "dead" : "alive"
  }
  // This machine has been started anew since.
  return identity.host === self().host && identity.boot !== self().boot ? "dead" : "elsewhere"
}
