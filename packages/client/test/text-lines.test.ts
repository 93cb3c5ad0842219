/** Lines of a stream, however they come. */
import { PassThrough } from "node:stream"
import { assert, it } from "vitest"
import * as TextLines from "../src/node/TextLines.ts"

const linesOf = async (...pieces: ReadonlyArray<string | Buffer>): Promise<ReadonlyArray<string>> => {
  const stream = new PassThrough()
  const lines: Array<string> = []
  TextLines.each(stream, (line) => {
    lines.push(line)
    throw new Error("not my affair")
  })
  for (const piece of pieces) stream.write(piece)
  await new Promise<void>((resolve) => stream.on("end", resolve).end())
  return lines
}

it("are told one by one, whatever the pieces, and whatever the listener throws", async () => {
  const euro = Buffer.from("€")
  assert.deepStrictEqual(await linesOf("a\nb", "c\r\n\n", euro.subarray(0, 1), euro.subarray(1), "\nlast"), [
    "a",
    "bc",
    "",
    "€",
    "last"
  ])
})

it("that never end are told in pieces", async () => {
  const piece = "x".repeat(40_000)
  const lines = await linesOf(piece, piece, piece, piece, piece)
  assert.deepStrictEqual(
    lines.map(({ length }) => length),
    [80_000, 80_000, 40_000]
  )
})
