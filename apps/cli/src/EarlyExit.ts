/** A tools module, or a tool, that ends this process before its time: told, and not taken for success. */
import { writeSync } from "node:fs"

/** Until the returned function is called, an exit of the process says the message and has the exit code made of its own. */
export const watch = (message: string, exitCode: (code: number) => number): (() => void) => {
  const exits = (code: number): void => {
    process.exitCode = exitCode(code)
    try {
      writeSync(process.stderr.fd, `${message}\n`)
    } catch {
      // Nobody reads stderr.
    }
  }
  process.on("exit", exits)
  return () => process.off("exit", exits)
}
