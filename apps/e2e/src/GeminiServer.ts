/**
 * A model server for an agent that speaks the Gemini API: it answers each request with the next step of a script, as our
 * scripted model does. Used by the tests with Gemini CLI.
 */
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { Json } from "@acp-client-tools/protocol"

export interface Step {
  /** The parts of the answer, each of them in an event of its own. */
  readonly parts: ReadonlyArray<Json.JsonObject>
  /** Says no more, and does not end the answer. */
  readonly wait?: boolean
}

export interface GeminiServer extends AsyncDisposable {
  readonly url: string
  /** The bodies of the requests so far. */
  readonly requests: ReadonlyArray<Json.JsonObject>
  /** Settles when the agent has hung up on an answer that waits. */
  readonly hungUp: Promise<void>
}

const event = (part: Json.JsonObject, isLast: boolean): string =>
  `data: ${JSON.stringify({
    candidates: [{ content: { role: "model", parts: [part] }, ...(isLast ? { finishReason: "STOP" } : {}) }]
  })}\r\n\r\n`

export const start = (steps: ReadonlyArray<Step>): Promise<GeminiServer> => {
  const requests: Array<Json.JsonObject> = []
  const hungUp = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const value = Json.parse(body)?.value
      const step = steps[requests.length]
      requests.push(Json.isObject(value) ? value : {})
      if (step === undefined) return response.writeHead(400).end()
      response.writeHead(200, { "content-type": "text/event-stream" })
      const { parts, wait = false } = step
      parts.forEach((part, index) => response.write(event(part, !wait && index === parts.length - 1)))
      return wait ? response.on("close", hungUp.resolve) : response.end()
    })
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve({
        url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
        requests,
        hungUp: hungUp.promise,
        [Symbol.asyncDispose]: async () => {
          server.closeAllConnections()
          await new Promise((closed) => server.close(closed))
        }
      })
    })
  })
}

/** The answers of tools that a request brings with its last message. */
export const toolAnswers = (request: Json.JsonObject | undefined): ReadonlyArray<unknown> => {
  const contents = request?.["contents"]
  const parts: unknown = Array.isArray(contents) ? Json.get(contents.at(-1), "parts") : undefined
  return Array.isArray(parts)
    ? parts.flatMap((part) => {
        const answer = Json.get(part, "functionResponse")
        return answer === undefined ? [] : [Json.get(answer, "response")]
      })
    : []
}
