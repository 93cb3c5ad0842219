import { setTimeout as sleep } from "node:timers/promises"

/** One line a peer wrote. */
export interface Line {
  readonly text: string
  /** What is wrong with the bytes: `not UTF-8`, or `no newline at its end`. */
  readonly fault?: string
}

/** How much one stream may carry before reading stops: more is a flood. */
export const limit = { bytes: 64 * 1024 * 1024, lines: 20_000 }

const decoder = new TextDecoder("utf-8", { fatal: true })

/** The lines of one byte stream, all kept, with a way to wait for more of them. */
export class Lines {
  readonly all: Array<Line> = []
  /** True when no more will come. */
  ended = false
  /** True when reading stopped because too much came. */
  flooded = false
  readonly #onLine: (line: Line) => void
  readonly #waiting = new Set<AbortController>()
  #rest: Array<Buffer> = []
  #bytes = 0

  constructor(onLine: (line: Line) => void = () => {}) {
    this.#onLine = onLine
  }

  /** Takes the stream's next bytes; false when they are too many and the stream should be destroyed. */
  push(chunk: Buffer): boolean {
    if (this.ended) return false
    this.#bytes += chunk.length
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#add(Buffer.concat([...this.#rest, chunk.subarray(from, end)]), undefined)
      this.#rest = []
      from = end + 1
    }
    if (from < chunk.length) this.#rest.push(chunk.subarray(from))
    this.flooded = this.#bytes > limit.bytes || this.all.length > limit.lines
    if (this.flooded) this.ended = true
    this.#wake()
    return !this.flooded
  }

  /** The stream has ended. */
  end(): void {
    if (this.ended) return
    if (this.#rest.length > 0) this.#add(Buffer.concat(this.#rest), "no newline at its end")
    this.#rest = []
    this.ended = true
    this.#wake()
  }

  /** Waits until `find` gives something. Nothing when the stream ended or the deadline passed before. */
  async until<A>(find: () => A | undefined, deadline: number): Promise<A | undefined> {
    for (;;) {
      const found = find()
      const left = deadline - performance.now()
      if (found !== undefined || this.ended || left <= 0) return found
      const woken = new AbortController()
      this.#waiting.add(woken)
      await sleep(left, undefined, { signal: woken.signal }).catch(() => {})
      this.#waiting.delete(woken)
    }
  }

  #add(bytes: Buffer, fault: string | undefined): void {
    let line: Line
    try {
      line = { text: decoder.decode(bytes), ...(fault === undefined ? {} : { fault }) }
    } catch {
      line = { text: bytes.toString("utf8"), fault: "not UTF-8" }
    }
    this.all.push(line)
    this.#onLine(line)
  }

  #wake(): void {
    for (const one of this.#waiting) one.abort()
  }
}
