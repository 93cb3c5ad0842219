import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"

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
