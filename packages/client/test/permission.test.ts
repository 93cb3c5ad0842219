/** Who answers permission questions, and how. */
import { assert, describe, it } from "vitest"
import { PermissionPolicy } from "../src/reference/index.ts"

type Question = Parameters<PermissionPolicy.PermissionPolicy>[0]

const kinds = ["allow_once", "allow_always", "reject_once", "reject_always"] as const

/** A question about a tool, with an option of each of the kinds, whose id is its kind. */
const question = (
  toolCall: object,
  offered: ReadonlyArray<(typeof kinds)[number]> = kinds,
  sessionId = "s"
): Question => ({
  sessionId,
  toolCall: { toolCallId: "1", ...toolCall },
  options: offered.map((kind) => ({ optionId: kind, name: kind, kind }))
})

const signal = new AbortController().signal

describe("a policy that remembers", () => {
  it("asks once for each tool of a session that was answered for always", async () => {
    const asked: Array<unknown> = []
    const answers = ["allow_always", "reject_always", "allow_once", "reject_always", "allow_always"]
    const policy = PermissionPolicy.remember(({ toolCall }) => {
      asked.push(toolCall.name ?? toolCall.title)
      return answers.shift()
    })
    const told = async (...questions: ReadonlyArray<Question>) => {
      const chosen: Array<string | undefined> = []
      for (const one of questions) chosen.push(await policy(one, signal))
      return chosen
    }
    const [a, b, c] = [question({ title: "a" }), question({ title: "b" }), question({ title: "call 1", name: "c" })]
    assert.deepStrictEqual(await told(a, b, a, b), ["allow_always", "reject_always", "allow_always", "reject_always"])
    // Another call of the same tool, with fewer options; and one that offers none that fits.
    assert.deepStrictEqual(
      await told(
        question({ title: "a", toolCallId: "2" }, ["reject_once", "allow_once"]),
        question({ title: "a" }, ["reject_once"])
      ),
      ["allow_once", undefined]
    )
    // A name goes before a title; once is once; another session is asked again.
    const another = question({ title: "call 2", name: "c" })
    assert.deepStrictEqual(await told(c, another, c), ["allow_once", "reject_always", "reject_always"])
    assert.deepStrictEqual(await told(question({ title: "a" }, kinds, "other")), ["allow_always"])
    assert.deepStrictEqual(asked, ["a", "b", "c", "c", "a"])
  })
})
