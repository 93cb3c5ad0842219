/** The tools of one list: validation and order [Validation of a list]. Called by Discovery and by hosts. */
import { Result } from "effect"
import type { ClientTool } from "./ClientTool.ts"
import { EXTENSION_METHOD_PREFIX } from "./Identifiers.ts"
import * as InputSchema from "./InputSchema.ts"
import * as ToolDescription from "./ToolDescription.ts"
import * as ToolName from "./ToolName.ts"
import * as Wording from "./Wording.ts"

/** An entry that was left out: its 0-based index in the list, and why (LIST-6). */
export interface Skipped {
  readonly index: number
  readonly reason: string
}

export interface ToolSet {
  /** Sorted by model name in UTF-16 code-unit order (LIST-4). */
  readonly tools: ReadonlyArray<ClientTool>
  /** In list order. */
  readonly skipped: ReadonlyArray<Skipped>
}

export interface Options {
  /** Model names that are taken by the agent's own tools (LIST-5). */
  readonly reserved?: Iterable<string>
}

export const empty: ToolSet = { tools: [], skipped: [] }

const decodeEntry = (entry: unknown, taken: { has(modelName: string): boolean }): Result.Result<ClientTool, string> => {
  const description = ToolDescription.decode(entry)
  if (Result.isFailure(description)) return Result.fail(Wording.notAToolDescription(description.failure))

  const name = description.success.name ?? ""
  const modelName = ToolName.toModelName(name)
  if (modelName === undefined) return Result.fail(Wording.noName)

  const method = description.success.method ?? ""
  if (!method.startsWith(EXTENSION_METHOD_PREFIX)) return Result.fail(Wording.methodMustStart(method))

  const inputSchema = description.success.inputSchema ?? undefined
  const schema = InputSchema.rewrite(inputSchema)
  if (Result.isFailure(schema)) return Result.fail(schema.failure)

  if (taken.has(modelName)) return Result.fail(Wording.duplicateToolName(modelName))
  const text = description.success.description ?? ""
  return Result.succeed({
    modelName,
    name,
    method,
    description: text.trim() === "" ? undefined : text,
    inputSchema,
    ...schema.success
  })
}

/**
 * The usable tools of a list and the entries left out. Each entry is judged alone, in the order shape, name, method,
 * schema, duplicate; the first of two equal model names is kept. Takes any JSON values and never throws (LIST-1 to
 * LIST-7). Linear in the size of the list.
 */
export const decode = (list: ReadonlyArray<unknown>, options: Options = {}): ToolSet => {
  const taken = new Set(options.reserved)
  const tools: Array<ClientTool> = []
  const skipped: Array<Skipped> = []
  for (const [index, entry] of list.entries()) {
    const decoded = decodeEntry(entry, taken)
    if (Result.isFailure(decoded)) {
      skipped.push({ index, reason: decoded.failure })
    } else {
      taken.add(decoded.success.modelName)
      tools.push(decoded.success)
    }
  }
  return { tools: tools.toSorted((a, b) => (a.modelName < b.modelName ? -1 : 1)), skipped }
}
