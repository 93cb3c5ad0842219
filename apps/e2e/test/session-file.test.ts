/** The file of a session that our agent wrote, as a crash at any moment could have left it. */
import assert from "node:assert/strict"
import { readFile, writeFile } from "node:fs/promises"
import { SessionFiles } from "@acp-client-tools/agent/node"
import { History } from "@acp-client-tools/agent/reference"
import { Effect } from "effect"
import { expect, it } from "vitest"
import * as AgentHome from "../src/AgentHome.ts"
import * as Folder from "../src/Folder.ts"

const calls = (...names: ReadonlyArray<string>) => ({
  toolCalls: names.map((name) => ({ name, arguments: { ü: "∂" } }))
})

/** A session with every kind of entry: parallel calls, a refusal, a cancelled turn and one the loop detector stopped. */
const record = async (): Promise<Buffer> => {
  await using home = await AgentHome.make(
    [
      { thought: "Überlegung 🤔", text: "Both:", ...calls("client_a", "client_slow", "nobody") },
      { text: "Done 👍" },
      calls("client_a"),
      { text: "No.", stopReason: "refusal" },
      calls("client_slow", "client_slow"),
      calls("client_a", "client_a")
    ],
    { yolo: true, loopDetector: { flagAfter: 1, stopAfter: 2 } }
  )
  const isSlow = ({ method }: { readonly method?: unknown }) => method === "_t/slow"
  await using agent = home.start({ answers: { "_t/a": () => "für dich" } })
  await agent.initialize({ "org.mini-me/tools": ["a", "slow"].map((name) => ({ name, method: `_t/${name}` })) })
  const sessionId = await agent.newSession()
  const first = agent.prompt(sessionId, "Grüße\nan alle")
  agent.write({ id: (await agent.next(isSlow))["id"], result: { content: [{ type: "text", text: "später" }] } })
  const endings = [await first, await agent.prompt(sessionId, "Bad")]
  const cancelled = agent.prompt(sessionId, "Wait")
  await agent.next(isSlow)
  await agent.next(isSlow)
  agent.notify("session/cancel", { sessionId })
  endings.push(await cancelled, await agent.prompt(sessionId, "Loop"))
  expect(endings).toEqual(["end_turn", "refusal", "cancelled", "max_turn_requests"])
  return readFile(home.sessionFile(sessionId))
}

/** What no provider takes: a call without its result right behind it, in order, or a result without its call. */
const checkValid = (messages: ReadonlyArray<History.Message>): void => {
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1]
    const asked = before?.role === "assistant" ? before.toolCalls.map(({ id }) => id) : []
    assert.deepStrictEqual(message.role === "tool" ? message.results.map(({ id }) => id) : [], asked)
    assert(message.role !== "assistant" || message.text !== "" || message.toolCalls.length > 0)
  }
  const last = messages.at(-1)
  assert.deepStrictEqual(last?.role === "assistant" ? last.toolCalls : [], [])
}

const id = "20260101-000000-00000000"

/** Whether a cut in front of this byte differs from one in front of its neighbours: not within plain text. */
const isSpecial = (byte: number | undefined): boolean =>
  byte === undefined || byte > 127 || `{}[]":,\n`.includes(String.fromCharCode(byte))

it("cut at every byte that matters, the file loads with a valid history, keeps each whole line, and goes on [SESS-2.d TURN-3.f]", async () => {
  const recorded = await record()
  await using folder = await Folder.make({})
  const store = SessionFiles.make(folder.path("."))
  const file = folder.path(`${id}.jsonl`)
  const whole = recorded.toString().trimEnd().split("\n")
  expect(new Set(whole.slice(1).map((line) => JSON.parse(line).type))).toEqual(
    new Set(["title", "prompt", "answer", "begun", "result", "remark", "refused"])
  )
  const next = { type: "prompt", content: [{ type: "text", text: "next" }] } as const
  for (let length = 0; length <= recorded.length; length++) {
    if (!isSpecial(recorded[length]) && !isSpecial(recorded[length - 1])) continue
    const cut = recorded.subarray(0, length)
    await writeFile(file, cut)
    const { entries, log } = await Effect.runPromise(store.open(id, "/"))
    const lines = cut.toString().split("\n")
    const isWhole = lines.at(-1) === whole[lines.length - 1]
    assert.strictEqual(entries.length, Math.max(0, lines.length - (isWhole ? 1 : 2)))
    const messages = History.make(log, entries).messages()
    checkValid(messages)
    // Going on costs more than loading; every fifth is as good as all.
    if (length % 5 !== 0) {
      await Effect.runPromise(log.close)
      continue
    }
    await Effect.runPromise(Effect.andThen(log.append([next]), log.close))
    const again = await Effect.runPromise(store.open(id, "/"))
    assert.deepStrictEqual(again.entries, [...entries, next])
    await Effect.runPromise(again.log.close)
    const { sessions } = await Effect.runPromise(store.list({ cwd: "/", cursor: undefined, untitled: new Set([id]) }))
    assert.strictEqual(sessions.length, 1)
  }
})
