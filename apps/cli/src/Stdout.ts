/** This process's stdout, kept for data: whatever else writes there writes to stderr (CLIENT-9). Used by ClientCommand. */
import { SystemError } from "@acp-client-tools/protocol"
import { Effect } from "effect"

export interface Stdout {
  readonly write: (text: string) => void
  /** Settles when everything written so far has left the process, or nobody reads it any more. */
  readonly flushed: Effect.Effect<void>
  /** Why something written was lost, in words: a full disk. That nobody reads it any more is no fault. */
  readonly fault: () => string | undefined
}

/**
 * Takes stdout away from everybody but the caller. `console` follows; only a write to the file descriptor itself gets by.
 */
export const keep = (): Stdout => {
  const { stderr, stdout } = process
  const write = stdout.write.bind(stdout)
  let fault: string | undefined
  // A reader that went away ends nothing by itself.
  stdout.on("error", (cause) => {
    if (SystemError.code(cause) !== "EPIPE") fault ??= SystemError.reason(cause)
  })
  const toStderr: typeof stdout.write = stderr.write.bind(stderr)
  Object.assign(stdout, {
    write: toStderr,
    // Stdout ends with the process; a tool's pipeline must not end it for everybody, nor wait for that.
    end: (...given: ReadonlyArray<unknown>) => {
      const [chunk] = given
      const isOver = given.find((argument) => typeof argument === "function")
      if (isOver !== undefined) stdout.once("finish", () => isOver())
      if (typeof chunk === "string" || chunk instanceof Uint8Array) toStderr(chunk)
      process.nextTick(() => stdout.emit("finish"))
      return stdout
    }
  })
  // One write at a time: what comes meanwhile waits as one text, and not as thousands of writes.
  let waiting = ""
  let isWriting = false
  let flushed: Array<() => void> = []
  const next = (): void => {
    if (isWriting) return
    if (waiting === "") {
      flushed.forEach((settle) => settle())
      flushed = []
      return
    }
    const text = waiting
    waiting = ""
    isWriting = true
    write(text, () => {
      isWriting = false
      next()
    })
  }
  return {
    fault: () => fault,
    write: (text) => {
      waiting += text
      next()
    },
    flushed: Effect.callback((resume) => {
      flushed.push(() => resume(Effect.void))
      next()
    })
  }
}
