/** The program that measures Calls: a client that does nothing else. Forked by `pnpm soak`; answers with what it measured. */
import * as Calls from "./Calls.ts"

const measured = await Calls.measure()
process.send?.(measured, () => process.disconnect())
