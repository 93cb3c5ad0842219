/**
 * A tools module with schemas and handlers of Effect: a definition made by our client, a plain object that gives an Effect, and
 * one whose schema is not made for another copy of Effect. Bundled by a test with its own copies of everything it imports.
 */
import { ClientTool, type ToolDefinition } from "@acp-client-tools/client"
import { Effect, Schema } from "effect"

const Numbered = Schema.Struct({ n: Schema.FiniteFromString })

const plain: ToolDefinition = { name: "foreign", execute: (args) => Effect.succeed({ foreign: args }) }

export const unmade: ToolDefinition = { name: "unmade", inputSchema: Numbered, execute: () => 1 }

export default [
  ClientTool.make({ name: "made", inputSchema: Numbered, execute: (args) => Effect.succeed({ made: args }) }),
  plain
]
