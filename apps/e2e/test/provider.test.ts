/** The bundle in an empty folder, with a provider's package installed beside the agent file, against a server of its API. */
import { copyFile, mkdir, realpath, symlink } from "node:fs/promises"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import * as Command from "../src/Command.ts"
import * as Folder from "../src/Folder.ts"
import * as RawClient from "../src/RawClient.ts"

const key = "sk-ant-0123456789abcdef"

const events = (...all: ReadonlyArray<{ readonly type: string }>) =>
  all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")

const message = (contentBlock: object, delta: object, stopReason: string) =>
  events(
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 9, output_tokens: 1 }
      }
    } as never,
    { type: "content_block_start", index: 0, content_block: contentBlock } as never,
    { type: "content_block_delta", index: 0, delta } as never,
    { type: "content_block_stop", index: 0 } as never,
    {
      type: "message_delta",
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: 7 }
    } as never,
    { type: "message_stop" }
  )

const toolUse = message(
  { type: "tool_use", id: "toolu_1", name: "client_search", input: {} },
  { type: "input_json_delta", partial_json: '{"query":"rings"}' },
  "tool_use"
)
const text = message({ type: "text", text: "" }, { type: "text_delta", text: "Saturn." }, "end_turn")
const refusal = {
  type: "error",
  error: { type: "invalid_request_error", message: `tools.0.custom.input_schema: invalid, with the key ${key}` }
}

/** Answers a request with events, or refuses it. */
const serve = async (...answers: ReadonlyArray<string | object>) => {
  const asked: Array<{ readonly url: string | undefined; readonly headers: IncomingHttpHeaders; readonly body: any }> =
    []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const answer = answers[asked.push({ url: request.url, headers: request.headers, body }) - 1] ?? refusal
      if (typeof answer === "string") response.writeHead(200, { "content-type": "text/event-stream" }).end(answer)
      else response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    asked,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

/** The bundle alone in a folder, and an agent file in another. */
const install = async (baseUrl: string) => {
  const model = { provider: "@ai-sdk/anthropic", name: "claude", baseUrl, options: { headers: { "x-team": "tools" } } }
  const config = { yolo: true, builtInTools: false, sessions: { directory: "./sessions" }, model }
  const folder = await Folder.make({ "agent/agent.yaml": JSON.stringify(config), "empty/.keep": "" })
  const bundle = folder.path("acp-client-tools.mjs")
  await copyFile(fileURLToPath(new URL("../../cli/dist/acp-client-tools.js", import.meta.url)), bundle)
  const { command } = Command.agent("")
  const start = () =>
    RawClient.start(
      { command, args: [bundle, "agent", "--config", folder.path("agent/agent.yaml")] },
      { cwd: folder.path("empty"), env: { ANTHROPIC_API_KEY: key }, answers: { "_t/search": () => "many rings" } }
    )
  return { folder, start }
}

it("a provider's package beside the agent file is the model, and one that is missing is named with its install command [CFG-1.l CFG-4.b CLI-6.d]", async () => {
  await using server = await serve(toolUse, text)
  const { folder, start } = await install(server.baseUrl)
  await using _ = folder
  await using missing = start()
  const [home, here] = [folder.path("agent"), folder.path("empty")]
  expect(await missing.stderrLine(() => true)).toBe(
    `${home}/agent.yaml:1: model.provider: @ai-sdk/anthropic is neither built in (script and openai-compatible are) nor installed in ${home} or ${await realpath(here)}; npm install --prefix "${home}" @ai-sdk/anthropic`
  )
  expect(await missing.exited).toBe(2)

  await mkdir(folder.path("agent/node_modules/@ai-sdk"), { recursive: true })
  await symlink(
    fileURLToPath(new URL("../node_modules/@ai-sdk/anthropic", import.meta.url)),
    folder.path("agent/node_modules/@ai-sdk/anthropic")
  )
  await using agent = start()
  const inputSchema = { type: "object", properties: { query: { type: "string" } } }
  await agent.initialize({ "org.mini-me/tools": [{ name: "search", method: "_t/search", inputSchema }] })
  const sessionId = await agent.newSession()
  expect(await agent.prompt(sessionId, "How many?")).toBe("end_turn")
  expect(RawClient.said(agent.updates(sessionId))).toBe("Saturn.")
  const [first, second] = server.asked
  expect(first).toMatchObject({ url: "/v1/messages", headers: { "x-api-key": key, "x-team": "tools" } })
  expect(first?.body.tools).toMatchObject([{ name: "client_search", input_schema: { properties: { query: {} } } }])
  expect(second?.body.messages.at(-1).content).toMatchObject([
    { type: "tool_result", tool_use_id: "toolu_1", content: "many rings" }
  ])

  const refused = await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Again" }] })
  expect(refused["error"]).toEqual({
    code: -32603,
    message:
      "the model failed: tools.0.custom.input_schema: invalid, with the key [secret] (HTTP 400); this is about the tool client_search"
  })
  expect(await agent.end()).toBe(0)
  expect(agent.stderr.join("\n")).not.toContain(key)
})
