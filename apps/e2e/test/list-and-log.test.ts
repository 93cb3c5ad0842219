import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"

it("the list is sorted by model name, and named on the agent's stderr [LIST-4.a LOG-1.a CLI-2.d]", async () => {
  const { said, stderr } = await Pair.run({
    tools: ["zebra", "Apple", "ärger", "apple"].map((name) => ({
      name,
      method: `_t/${name}`,
      behaviour: { return: name }
    })),
    script: [{ text: "{{tools}}" }]
  })
  const names = ["client_Apple", "client_apple", "client_rger", "client_zebra"]
  expect(stderr).toContain(`[acp] client tools (meta): ${names.join(", ")}`)
  const declared: ReadonlyArray<{ readonly name: string }> = JSON.parse(said)
  expect(declared.map(({ name }) => name)).toEqual(names)
})

it("a session's list is named with its id [LOG-2.a REQ-3.a]", async () => {
  const { stderr, wire } = await Pair.run({
    config: { acp: { clientTools: { discovery: "request" } } },
    args: ["--discovery", "request"],
    tools: [{ name: "a", behaviour: { return: null } }],
    script: [{ text: "done" }]
  })
  const opened = wire
    .map(({ message }) => message["result"])
    .find((result) => JSON.stringify(result)?.includes("sessionId"))
  const { sessionId } = opened as { readonly sessionId: string }
  expect(stderr).toContain(`[acp] session ${sessionId} client tools (request): client_a`)
})
