/** The tools of an MCP server as Tools, and what of its list was left out (OWN-3). Made by Toolbox. */
import { type GoDuration, McpToolSet, Wording } from "@acp-client-tools/protocol"
import { Result } from "effect"
import type { Tool } from "../Tool.ts"
import type { McpServer } from "./McpServer.ts"

export interface McpTools {
  readonly tools: ReadonlyArray<Tool>
  /** Why there is no tool: a line for each. */
  readonly leftOut: ReadonlyArray<string>
}

/** `name` is what the client calls the server; `reserved` are the names of tools that come before these. */
export const make = (
  name: string,
  server: McpServer,
  timeout: GoDuration.GoDuration,
  reserved: Iterable<string>
): McpTools => {
  const list = server.tools()
  if (Result.isFailure(list)) return { tools: [], leftOut: [list.failure] }
  const { skipped, tools } = McpToolSet.decode(name, list.success, { reserved })
  return {
    leftOut: skipped.map(({ index, reason }) => Wording.entrySkipped(index, reason)),
    tools: tools.map((tool) => ({
      declaration: tool.declaration,
      requiredParameters: tool.requiredParameters,
      source: Wording.sourceMcp(name),
      title: Wording.mcpCallTitle(name, tool.name),
      kind: "other",
      permissions: "auto",
      permissionKey: JSON.stringify([tool.declaration.name, "mcp", name, tool.name]),
      timeout,
      execute: (args) => server.call(tool.name, args)
    }))
  }
}
