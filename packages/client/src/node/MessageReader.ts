/**
 * The messages an agent writes on stdout, one a line. What is no message (a banner, a log line, half a JSON text) is told
 * to the user and goes no further; the SDK's own reader would answer it with errors the agent did not ask for.
 */
import { type AnyMessage, DEFAULT_MAX_MESSAGE_BYTES, MessageTooLargeError } from "@agentclientprotocol/sdk"
import { Json, LogLine, Wording } from "@acp-client-tools/protocol"

const NEWLINE = 10
const MAX_SHOWN = 200
const MAX_TOLD = 20

// Whether it is a good request, notification or answer is for the SDK to judge.
const isMessage = (value: unknown): value is AnyMessage => Json.get(value, "jsonrpc") === "2.0"

/**
 * Whole lines, as text, without their ends; those of one piece together. A line longer than the SDK's limit ends the
 * connection, as there.
 */
const lines = async function* (input: AsyncIterable<Uint8Array>): AsyncGenerator<ReadonlyArray<string>> {
  let parts: Array<Uint8Array> = []
  let size = 0
  const take = (bytes: Uint8Array): void => {
    size += bytes.length
    if (size > DEFAULT_MAX_MESSAGE_BYTES) throw new MessageTooLargeError(DEFAULT_MAX_MESSAGE_BYTES)
    parts.push(bytes)
  }
  const line = (): string => {
    const text = Buffer.concat(parts).toString("utf8")
    parts = []
    size = 0
    return text
  }
  for await (const chunk of input) {
    const whole: Array<string> = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end))
      whole.push(line())
      start = end + 1
    }
    if (start < chunk.length) take(chunk.subarray(start))
    yield whole
  }
  if (size > 0) yield [line()]
}

/** The messages in order. Other lines are told in a sentence, cut to 200 characters; of many, the first 20. */
export const read = async function* (
  input: AsyncIterable<Uint8Array>,
  onNoise: (sentence: string) => void
): AsyncGenerator<AnyMessage> {
  const tell = (sentence: string): void => {
    try {
      onNoise(sentence)
    } catch {
      // There is nobody to tell, and the messages go on.
    }
  }
  let told = 0
  for await (const whole of lines(input)) {
    for (const line of whole) {
      // A byte-order mark and CR before the line feed are white space here.
      const text = line.trim()
      if (text === "") continue
      const message = Json.parse(text)?.value
      if (isMessage(message)) {
        yield message
        continue
      }
      told++
      if (told <= MAX_TOLD) tell(Wording.noise(LogLine.escape(text.slice(0, MAX_SHOWN))))
      if (told === MAX_TOLD) tell(Wording.moreNoise)
    }
  }
}
