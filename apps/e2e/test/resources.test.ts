/** What an agent holds: nothing for a session at rest, and after many calls no more than before. */
import { readdir } from "node:fs/promises"
import { expect, it } from "vitest"
import * as AgentHome from "../src/AgentHome.ts"
import * as RawClient from "../src/RawClient.ts"

/** Loaded into the agent: tells on a signal which resources of Node are active. */
const probe = `data:text/javascript,${encodeURIComponent(
  'process.on("SIGUSR2", () => process.stderr.write(`resources ${process.getActiveResourcesInfo().sort().join()}\\n`))'
)}`
const probed = { NODE_OPTIONS: `--import=${probe}` }

const resources = async (agent: RawClient.RawClient): Promise<string> => {
  const before = agent.stderr.length
  agent.kill("SIGUSR2")
  return agent.stderrLine((line, index) => index >= before && line.startsWith("resources "))
}

it("fifty turns of fifty calls leave no listener, timer or file behind", async () => {
  const round = Array.from({ length: 50 }, (_, n) => ({ name: "client_a", arguments: { n } }))
  const turns = Array.from({ length: 51 }, () => [{ toolCalls: round }, { text: "done" }]).flat()
  await using home = await AgentHome.make(turns, { yolo: true })
  await using agent = home.start({ answers: { "_t/a": ({ n }) => String(n) }, env: probed })
  await agent.initialize({ "org.mini-me/tools": [{ name: "a", method: "_t/a" }] })
  const sessionId = await agent.newSession()
  await agent.prompt(sessionId)
  const before = await resources(agent)
  for (let turn = 0; turn < 50; turn++) expect(await agent.prompt(sessionId)).toBe("end_turn")
  expect(await resources(agent)).toBe(before)
  expect(agent.received.filter(({ method }) => method === "_t/a")).toHaveLength(51 * 50)
  expect(agent.stderr.filter((line) => /warning/i.test(line))).toEqual([])
})

it("a thousand idle sessions hold no file and no timer, with a limit of 1,024 files", async () => {
  await using home = await AgentHome.make([{ text: "Hi" }])
  const { args, command } = home.command
  const limited = { command: "/bin/sh", args: ["-c", 'ulimit -n 1024; exec "$0" "$@"', command, ...args] }
  await using agent = RawClient.start(limited, { env: probed })
  await agent.initialize()
  await agent.prompt(await agent.newSession())
  const files = async () => (await readdir(`/proc/${agent.pid}/fd`).catch(() => [])).length
  const before = { resources: await resources(agent), files: await files() }
  const sessions = await Promise.all(Array.from({ length: 1_000 }, () => agent.newSession()))
  await Promise.all(sessions.slice(0, 100).map((sessionId) => agent.prompt(sessionId)))
  expect({ resources: await resources(agent), files: await files() }).toEqual(before)
  expect(await agent.prompt(sessions[999] ?? "")).toBe("end_turn")
  expect(await agent.end()).toBe(0)
  expect((await home.sessionFiles()).filter((name) => name.endsWith(".lock"))).toEqual([])
})
