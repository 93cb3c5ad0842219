/** The prompt on the command line of the client. */
import { assert, describe, it } from "vitest"
import * as ClientCommand from "../src/ClientCommand.ts"

describe("a prompt on the command line", () => {
  it.each(["- item", "-1 is what?", "-h"])("may begin with a dash: %j [CLI-1.c]", (text) => {
    assert.deepStrictEqual(ClientCommand.withPrompt(["client", "--prompt", text, "--json", "--", "agent"]), [
      "client",
      `--prompt=${text}`,
      "--json",
      "--",
      "agent"
    ])
  })

  it.each([
    [["client", "--prompt", "text", "--", "agent"]],
    [["client", "--prompt", "--json", "--", "agent"]],
    [["client", "--prompt"]],
    [["client", "--", "agent", "--prompt", "-x"]]
  ])("is left alone otherwise: %j", (args) => {
    assert.deepStrictEqual(ClientCommand.withPrompt(args), args)
  })
})
