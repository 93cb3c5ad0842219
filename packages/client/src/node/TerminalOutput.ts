/**
 * The end of what a command wrote, however much that was: whole characters, at most so many bytes of UTF-8. Kept by
 * LocalTerminals; takes up to twice its limit, and the last piece, in memory.
 */

export interface TerminalOutput {
  readonly append: (text: string) => void
  /** What is left of it; `truncated` when the beginning is not. */
  readonly read: () => { readonly output: string; readonly truncated: boolean }
}

/** More pieces than this are joined, so that a flood of small ones costs no more than their bytes. */
const MAX_PIECES = 1_000

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

export const make = (limit: number): TerminalOutput => {
  let pieces: Array<Buffer> = []
  let size = 0
  let truncated = false
  return {
    append: (text) => {
      const piece = Buffer.from(text)
      pieces.push(piece)
      size += piece.length
      truncated ||= size > limit
      for (let first = pieces[0]; first !== undefined && size - first.length >= limit; first = pieces[0]) {
        pieces.shift()
        size -= first.length
      }
      if (pieces.length > MAX_PIECES) pieces = [Buffer.concat(pieces)]
    },
    read: () => {
      const bytes = Buffer.concat(pieces)
      let start = Math.max(0, size - limit)
      while (isContinuation(bytes[start])) start++
      return { output: bytes.toString("utf8", start), truncated }
    }
  }
}
