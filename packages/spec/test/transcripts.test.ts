import { readdirSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { assert, describe, it } from "vitest"

const read = (path: string) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), "utf8"))
const validate = new Ajv2020({ strict: false, allErrors: true, formats: { regex: true } }).compile(
  read("schema/transcript.schema.json")
)
const clauses = new Map<string, string>(
  read("requirements.json").clauses.map(({ id, side }: { id: string; side: string }) => [id, side])
)
const ids = new Set<string>()

for (const side of ["agent", "client"]) {
  describe(`transcripts of the ${side}`, () => {
    const files = readdirSync(new URL(`../transcripts/${side}`, import.meta.url))
    for (const file of files) {
      it(`${file} fits the schema and cites clauses of its side`, () => {
        const transcript = read(`transcripts/${side}/${file}`)
        assert.isTrue(validate(transcript), JSON.stringify(validate.errors, null, 2))
        assert.strictEqual(transcript.id, basename(file, ".json"))
        assert.strictEqual(transcript.side, side)
        const unknown = transcript.requirements.filter((id: string) => !["both", side].includes(clauses.get(id) ?? ""))
        assert.deepStrictEqual(unknown, [])
        assert.isFalse(ids.has(transcript.id), "the id is used twice")
        ids.add(transcript.id)
      })
    }
  })
}

describe("the schema of transcripts", () => {
  const whole = {
    id: "x",
    side: "agent",
    requirements: ["ERR-2.a"],
    description: "d",
    setup: {},
    steps: [{ close: true }]
  }
  const wrong = [
    { stepps: [] },
    { setup: { tools: [] } },
    { steps: [{ close: true, expectNothing: true }] },
    { steps: [{ note: "nothing" }] },
    { steps: [{ expect: { a: { $nay: 1 } } }] },
    { steps: [{ expect: { $any: true, b: 1 } }] },
    { steps: [{ exitAgent: 1 }] },
    { requirements: ["err-2"] }
  ]
  it("accepts the shortest one", () => assert.isTrue(validate(whole)))
  for (const change of wrong) {
    it(`refuses ${JSON.stringify(change)}`, () => assert.isFalse(validate({ ...whole, ...change })))
  }
})
