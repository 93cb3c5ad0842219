/**
 * Which process it is, beyond its id: ids are used again. Written into locks by SessionLock, and asked whether its owner
 * still lives.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import { Schema } from "effect"
import * as SystemError from "./SystemError.ts"

const ProcessIdentity = Schema.Struct({
  pid: Schema.Int,
  host: Schema.String,
  /** When it was started, in whatever form the system tells; `""` where it does not. */
  started: Schema.String
})
export type ProcessIdentity = typeof ProcessIdentity.Type

const isIdentity = Schema.is(ProcessIdentity)

/** Field 22 of the part behind the name of the program, which may hold blanks and brackets. */
const STARTED_AFTER_NAME = 19

const startedOnLinux = (pid: number): string => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[STARTED_AFTER_NAME] ?? ""
  // Ticks count from the start of the machine, which counts anew after the next.
  return `${ticks} ${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}`
}

/** `undefined` when there is no such process. */
const started = (pid: number): string | undefined => {
  try {
    process.kill(pid, 0)
  } catch (cause) {
    if (SystemError.code(cause) !== "EPERM") return undefined
  }
  try {
    if (process.platform === "linux") return startedOnLinux(pid)
    return spawnSync("ps", ["-o", "lstart=", "-p", `${pid}`], { encoding: "utf8" }).stdout.trim()
  } catch {
    return ""
  }
}

let own: ProcessIdentity | undefined

/** This process. */
export const self = (): ProcessIdentity =>
  (own ??= { pid: process.pid, host: hostname(), started: started(process.pid) ?? "" })

export const isSelf = (identity: ProcessIdentity): boolean => JSON.stringify(identity) === JSON.stringify(self())

/** The identity a text holds; `undefined` for any other text. */
export const decode = (text: string): ProcessIdentity | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isIdentity(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether it runs; `elsewhere` when that cannot be seen from this machine. */
export const state = ({ host, pid, started: then }: ProcessIdentity): "alive" | "dead" | "elsewhere" => {
  if (host !== self().host) return "elsewhere"
  const now = started(pid)
  return now === undefined || (now !== "" && then !== "" && now !== then) ? "dead" : "alive"
}
