/** The vectors of tool definitions and of arguments, through the set as a whole and through a call. */
import { expand, vectors } from "@acp-client-tools/spec"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { RequestHandler, Toolkit, ToolOffer } from "../src/index.ts"

interface Input {
  readonly tools: ReadonlyArray<unknown>
  readonly namespace?: string
}

/** The definition with a function where the data says `true`. */
const withFunction = (tool: any): unknown =>
  typeof tool === "object" && tool?.execute === true ? { ...tool, execute: () => undefined } : tool

describe("client-definition", () => {
  for (const { description, id, input, output, requirements } of vectors<Input, any>("client-definition").cases) {
    it(`${id}: ${description} [${requirements.join(" ")}]`, () => {
      const { namespace } = input
      const made = Toolkit.decode(expand(input.tools).map(withFunction), namespace === undefined ? {} : { namespace })
      if (output.methods !== undefined) {
        const { byMethod } = Result.getOrThrow(made)
        assert.deepStrictEqual([...byMethod.keys()], output.methods)
        return
      }
      const { faults } = Result.getOrThrow(Result.flip(made))
      const reasons = faults.map(({ reason }) => reason).toSorted()
      const wanted: ReadonlyArray<string> = output.faults.toSorted()
      assert.lengthOf(reasons, wanted.length, reasons.join("; "))
      for (const [index, reason] of reasons.entries()) {
        if (output.faultsArePrefixes === true) assert.isTrue(reason.startsWith(wanted[index] ?? "?"), reason)
        else assert.strictEqual(reason, wanted[index])
      }
    })
  }
})

interface CheckInput {
  readonly inputSchema?: unknown
  readonly arguments?: object
}

type CheckOutput =
  | { readonly fits: true }
  | { readonly fits: false; readonly places: Array<string> }
  | { readonly fault: true }

describe("argument-check", () => {
  for (const { description, id, input, output, requirements } of vectors<CheckInput, CheckOutput>("argument-check")
    .cases) {
    it(`${id}: ${description} [${requirements.join(" ")}]`, async () => {
      let received: unknown
      const execute = (args: object) => (received = args)
      const made = Toolkit.decode([{ name: "a", method: "_a", inputSchema: input.inputSchema, execute }])
      if ("fault" in output) {
        assert.match(Result.getOrThrow(Result.flip(made)).message, /^tool 1 \("a"\): inputSchema cannot be compiled: ./)
        return
      }
      const params = { ...input.arguments, _meta: { "org.mini-me/sessionId": "s" } }
      const request = { method: "_a", params, signal: new AbortController().signal }
      const answer = await RequestHandler.handle(ToolOffer.make(Result.getOrThrow(made)), request)
      if (output.fits) {
        assert.deepStrictEqual(received, input.arguments)
        return
      }
      assert.isUndefined(received)
      const { content, isError } = answer as { content: [{ text: string }]; isError: boolean }
      assert.isTrue(isError)
      const told = content[0].text.replace("invalid arguments: ", "").split("; ")
      assert.includeMembers([...new Set(told.map((fault) => fault.split(": ", 1)[0]))], output.places)
    })
  }
})
