/**
 * Loaded into an agent's process before the agent (`--import`): tells the process's id on stderr, and a sample of its heap
 * whenever SIGUSR2 asks. The agent knows nothing of it. Asked by AgentHeap.
 */
import { writeSync } from "node:fs"
import * as Heap from "./Heap.ts"
import { PROBE } from "./AgentHeap.ts"

// At once, and not through `process.stderr`, which would be one more thing that is open.
const tell = (what: unknown): void => void writeSync(2, `${PROBE}${JSON.stringify(what)}\n`)

process.on("SIGUSR2", () => void Heap.sample().then(tell))
tell({ pid: process.pid })
