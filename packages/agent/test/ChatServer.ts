/** A chat-completions server on loopback, for one test: what it answers is the test's, what it was asked is written down. */
import { readFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { Effect } from "effect"

/** A request the server received. */
export interface Asked {
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: any
}

/** Answers a request, the `index`th, from 0. */
export type Answer = (response: ServerResponse, asked: Asked, index: number) => void

export interface ChatServer {
  /** What an agent file calls `model.baseUrl`. */
  readonly baseUrl: string
  readonly asked: ReadonlyArray<Asked>
}

/** The server, until its scope closes. */
export const make = Effect.fnUntraced(function* (answer: Answer) {
  const asked: Array<Asked> = []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const received = { url: request.url, headers: request.headers, body }
      answer(response, received, asked.push(received) - 1)
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      })
  )
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked
  } satisfies ChatServer
})

/** A stream in the format of a server; the file says which. */
export const recording = (name: string): string =>
  readFileSync(new URL(`recordings/${name}.sse`, import.meta.url), "utf8")

export interface Replay {
  /** `\n` when absent. */
  readonly lineEnd?: string
  /** Bytes of a chunk of the body; all in one chunk when absent. The provider reads chunk by chunk. */
  readonly chunkSize?: number
}

/** Answers with a stream of events. The response is left open. */
export const writeStream = (
  response: ServerResponse,
  text: string,
  { chunkSize, lineEnd = "\n" }: Replay = {}
): void => {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" })
  const bytes = Buffer.from(text.replaceAll("\n", lineEnd))
  const size = chunkSize ?? bytes.length
  for (let start = 0; start < bytes.length; start += size) response.write(bytes.subarray(start, start + size))
}

/** The same, to its end. */
export const stream =
  (text: string, replay?: Replay): Answer =>
  (response) => {
    writeStream(response, text, replay)
    response.end()
  }

/** The same, but the connection breaks where the end would be. */
export const brokenStream =
  (text: string): Answer =>
  (response) => {
    writeStream(response, text)
    // Not before all of it is on its way.
    response.write("\n", () => response.destroy())
  }

/** Answers with a whole body. */
export const body =
  (status: number, contentType: string, text: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": contentType, ...headers })
    response.end(text)
  }
