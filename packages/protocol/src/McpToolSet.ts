/**
 * The tools of an MCP server: what its `tools/list` named, under names and with schemas as a client's tools have them (OWN-3).
 * Made by the reference agent for every server of a session.
 */
import { Result } from "effect"
import * as InputSchema from "./InputSchema.ts"
import * as Json from "./Json.ts"
import * as ToolDeclaration from "./ToolDeclaration.ts"
import * as ToolDescription from "./ToolDescription.ts"
import * as ToolName from "./ToolName.ts"
import type { Skipped } from "./ToolSet.ts"
import * as Wording from "./Wording.ts"

export interface McpTool {
  /** The server's own name of the tool, with which it is called. */
  readonly name: string
  /** What the model is told; its name is `<server>_<tool>` by NAME-1's rules. */
  readonly declaration: ToolDeclaration.ToolDeclaration
  /** Names that must be own keys of the arguments before a call is made (CALL-1). */
  readonly requiredParameters: ReadonlyArray<string>
}

export interface McpToolSet {
  /** In the server's order. */
  readonly tools: ReadonlyArray<McpTool>
  /** In the server's order. */
  readonly skipped: ReadonlyArray<Skipped>
}

export interface Options {
  /** Names that are taken by other tools of the agent. */
  readonly reserved?: Iterable<string>
}

const decodeEntry = (
  server: string,
  entry: unknown,
  taken: { has(name: string): boolean }
): Result.Result<McpTool, string> => {
  const description = ToolDescription.decode(entry)
  if (Result.isFailure(description)) return Result.fail(Wording.notAToolDescription(description.failure))

  const name = description.success.name ?? ""
  const modelName = ToolName.ofMcpTool(server, name)
  if (modelName === undefined) return Result.fail(Wording.noName)

  if (Json.get(Json.get(entry, "execution"), "taskSupport") === "required") return Result.fail(Wording.mcpNeedsTask)

  const schema = InputSchema.rewrite(description.success.inputSchema ?? undefined)
  if (Result.isFailure(schema)) return Result.fail(schema.failure)

  if (taken.has(modelName)) return Result.fail(Wording.duplicateToolName(modelName))
  const text = description.success.description ?? ""
  return Result.succeed({
    name,
    declaration: ToolDeclaration.make(
      modelName,
      text.trim() === "" ? Wording.mcpDescription(server) : text,
      schema.success
    ),
    requiredParameters: schema.success.requiredParameters
  })
}

/**
 * The usable tools of a server's list and the entries left out, each judged alone; the first of two equal names is kept.
 * Takes any JSON values and never throws. Linear in the size of the list.
 */
export const decode = (server: string, list: ReadonlyArray<unknown>, { reserved }: Options = {}): McpToolSet => {
  const taken = new Set(reserved)
  const tools: Array<McpTool> = []
  const skipped: Array<Skipped> = []
  for (const [index, entry] of list.entries()) {
    const decoded = decodeEntry(server, entry, taken)
    if (Result.isFailure(decoded)) {
      skipped.push({ index, reason: decoded.failure })
    } else {
      taken.add(decoded.success.declaration.name)
      tools.push(decoded.success)
    }
  }
  return { tools, skipped }
}
