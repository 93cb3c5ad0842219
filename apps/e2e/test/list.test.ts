import { expect, it } from "vitest"
import * as Pair from "../src/Pair.ts"

it("the list is sorted by model name, and named on the agent's stderr [LIST-4.a LOG-1.a CLI-2.d]", async () => {
  const { said, stderr } = await Pair.run({
    config: { builtInTools: false },
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
