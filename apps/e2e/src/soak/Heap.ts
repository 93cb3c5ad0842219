/** What a process holds on to: the heap in use behind a garbage collection, and what would keep it running. */
import { setImmediate } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

export interface Sample {
  /** Bytes. */
  readonly heapUsed: number
  /** The names of handles and requests that are open, sorted. */
  readonly resources: ReadonlyArray<string>
}

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

/** Of this process, now. */
export const sample = async (): Promise<Sample> => {
  for (let time = 0; time < 3; time++) {
    collect()
    // What was collected is cleaned up behind (abort signals that depend on others), and lets go of more.
    await setImmediate()
  }
  return { heapUsed: process.memoryUsage().heapUsed, resources: process.getActiveResourcesInfo().toSorted() }
}
