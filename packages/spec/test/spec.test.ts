import { readdirSync, readFileSync } from "node:fs"
import { Ajv2020, type AnySchemaObject } from "ajv/dist/2020.js"
import { assert, describe, it } from "vitest"
import { expand, operations, requirements, vectors } from "../src/index.ts"

const read = (path: string) =>
  JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), "utf8")) as AnySchemaObject

const ajv = new Ajv2020({ allErrors: false })
const manifestSchema = read("schema/requirements.schema.json")
const vectorsSchema = read("schema/vectors.schema.json")
const validManifest = ajv.compile(manifestSchema)
const validVectors = ajv.compile(vectorsSchema)

const clauses = requirements()
const cases = operations.flatMap((operation) => vectors(operation).cases)

/** Clauses in the sections of pure functions that a pair of input and output cannot show. */
const withoutVector = new Set([
  "NAME-3.b", // the edge of a provider
  "NAME-3.c",
  "NAME-3.d",
  "SCHEMA-8.a", // the input is not mutated
  "SCHEMA-8.b", // two runs are compared
  "LIST-6.b", // nothing is written
  "LIST-7.a", // cost
  "CUT-3.b", // cost
  "CUT-3.c" // memory
])

const manifest = (...list: ReadonlyArray<unknown>) => ({ $schema: "./s.json", clauses: list })

describe("Requirement manifest", () => {
  it("MUST be valid against its schema, which is valid itself", () => {
    assert.isTrue(ajv.validateSchema(manifestSchema))
    assert.isTrue(validManifest(read("requirements.json")), JSON.stringify(validManifest.errors))
  })

  it("MUST NOT use an id twice or leave a gap in the letters of a line", () => {
    const lines = new Map<string, string>()
    for (const { id } of clauses) {
      const [line = "", letters = ""] = id.split(".")
      const before = lines.get(line) ?? ""
      assert.strictEqual(letters, String.fromCodePoint(0x61 + before.length), id)
      lines.set(line, before + letters)
    }
  })

  it("MUST NOT state one sentence twice", () => {
    const sentences = clauses.map((clause) => clause.sentence)
    assert.lengthOf(new Set(sentences), sentences.length)
  })

  const clause = { id: "NAME-1.a", section: "Tool description", level: "spec", side: "both", sentence: "A sentence." }

  it("accepts a sound clause", () => {
    assert.isTrue(validManifest(manifest(clause, { ...clause, pending: "2/8 Later" })))
  })

  it.each([
    ["a wrong level", manifest({ ...clause, level: "ours" })],
    ["a wrong side", manifest({ ...clause, side: "editor" })],
    ["an unknown section prefix", manifest({ ...clause, id: "NAMES-1.a" })],
    ["an id without letter", manifest({ ...clause, id: "NAME-1" })],
    ["an empty sentence", manifest({ ...clause, sentence: "" })],
    ["a pending mark without a title", manifest({ ...clause, pending: true })],
    ["an extra key", manifest({ ...clause, note: "x" })],
    ["a missing section", manifest({ ...clause, section: undefined })],
    ["no clauses", manifest()]
  ])("rejects %s", (_, planted) => {
    assert.isFalse(validManifest(JSON.parse(JSON.stringify(planted))))
  })
})

describe("Vectors", () => {
  it("MUST be one file for each operation", () => {
    const names = readdirSync(new URL("../vectors/", import.meta.url))
    assert.sameMembers(
      names,
      operations.map((operation) => `${operation}.json`)
    )
  })

  it.each(operations)("MUST be valid against their schema: %s", (operation) => {
    const file = vectors(operation)
    assert.strictEqual(file.operation, operation)
    assert.isTrue(validVectors(file), JSON.stringify(validVectors.errors))
  })

  it("MUST NOT use a case id twice", () => {
    const ids = cases.map(({ id }) => id)
    const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
    assert.deepStrictEqual(twice, [])
  })

  it("MUST NOT give one input twice", () => {
    const twice: Array<string> = []
    for (const operation of operations) {
      const seen = new Map<string, string>()
      for (const { id, input } of vectors(operation).cases) {
        const text = JSON.stringify(input)
        const before = seen.get(text)
        if (before !== undefined) twice.push(`${before} = ${id}`)
        seen.set(text, id)
      }
    }
    assert.deepStrictEqual(twice, [])
  })

  it("MUST cite known clauses only", () => {
    const known = new Set(clauses.map(({ id }) => id))
    const unknown = cases.flatMap(({ id, requirements: cited }) =>
      cited.filter((clauseId) => !known.has(clauseId)).map((clauseId) => `${id}: ${clauseId}`)
    )
    assert.deepStrictEqual(unknown, [])
  })

  it("MUST cover every clause about a pure function", () => {
    const cited = new Set(cases.flatMap((entry) => entry.requirements))
    const pure = clauses.filter(
      ({ id, pending }) => pending === undefined && /^(NAME|TOOL|SCHEMA|LIST|RES|CUT)-/.test(id)
    )
    const bare = pure.filter(({ id }) => !cited.has(id) && !withoutVector.has(id))
    assert.deepStrictEqual(
      bare.map(({ id }) => id),
      []
    )
    assert.isTrue([...withoutVector].every((id) => clauses.some((clause) => clause.id === id) && !cited.has(id)))
  })

  it("MUST keep texts under the limit of their cut", () => {
    for (const { id, input, output } of vectors<{ maxOutput: number }, { text: string }>("cut").cases) {
      assert.isAtMost(Array.from(output.text).length, input.maxOutput, id)
    }
  })

  it.each(operations)("schema rejects planted mistakes: %s", (operation) => {
    const file = vectors<object, object>(operation)
    const first = file.cases[0]
    assert.isDefined(first)
    const planted = (change: object) => validVectors({ ...file, cases: [{ ...first, ...change }] })
    assert.isTrue(planted({}))
    assert.isFalse(planted({ input: { ...first.input, typo: 1 } }), "extra key in the input")
    assert.isFalse(planted({ output: { ...first.output, typo: 1 } }), "extra key in the output")
    assert.isFalse(planted({ output: {} }), "empty output")
    assert.isFalse(planted({ note: "x" }), "extra key in the case")
    assert.isFalse(planted({ requirements: [] }), "no clause")
    assert.isFalse(planted({ requirements: ["NAME-1"] }), "clause without letter")
    assert.isFalse(planted({ id: "Not Kebab" }), "id")
    const { output: _, ...rest } = first
    assert.isFalse(validVectors({ ...file, cases: [rest] }), "missing output")
    assert.isFalse(validVectors({ ...file, operation: "tool-names" }), "unknown operation")
    assert.isFalse(validVectors({ ...file, version: 1 }), "extra key in the file")
    assert.isFalse(validVectors({ ...file, cases: [] }), "no case")
  })

  it("has a schema that is valid itself and knows the operations", () => {
    assert.isTrue(ajv.validateSchema(vectorsSchema))
    const known = vectorsSchema as { properties: { operation: { enum: Array<string> } } }
    assert.sameMembers(known.properties.operation.enum, [...operations])
  })
})

describe("expand", () => {
  it("writes $nest out, wherever it stands", () => {
    assert.deepStrictEqual(expand<unknown>({ a: [{ $nest: { levels: 2, key: "items", leaf: { x: 1 } } }], b: null }), {
      a: [{ items: { items: { x: 1 } } }],
      b: null
    })
    assert.deepStrictEqual(expand<unknown>({ $nest: { levels: 1, key: ["properties", "a"], leaf: true } }), {
      properties: { a: true }
    })
  })

  it("goes as deep as asked", () => {
    let value: unknown = expand({ $nest: { levels: 20_000, key: "a", leaf: 1 } })
    let levels = 0
    for (; typeof value === "object" && value !== null; levels++) value = Object.values(value)[0]
    assert.strictEqual(levels, 20_000)
  })

  it("keeps __proto__ as a key", () => {
    const copy = expand(JSON.parse('{"__proto__":{"a":1}}') as object)
    assert.deepStrictEqual(Object.keys(copy), ["__proto__"])
  })
})
