/** The name of a tool as the model sees it [Tool description]. Called by ToolSet and McpToolSet for every entry of a list. */
import { MODEL_NAME_PREFIX } from "./Identifiers.ts"

/** What NAME-1 leaves of a name; `""` when that is nothing. */
const stem = (name: string): string => name.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "")

/**
 * `client_` and the name with every run of characters outside `[A-Za-z0-9]` turned into one `_`, none of them leading or
 * trailing. Case is kept, nothing is folded, nothing is shortened. `undefined` when nothing is left (NAME-1, NAME-2,
 * NAME-3).
 */
export const toModelName = (name: string): string | undefined => {
  const rest = stem(name)
  return rest === "" ? undefined : MODEL_NAME_PREFIX + rest
}

/**
 * `<server>_<tool>` by the same rules, for a tool of an MCP server: `undefined` when nothing is left of the tool's own name
 * (OWN-3).
 */
export const ofMcpTool = (server: string, tool: string): string | undefined =>
  stem(tool) === "" ? undefined : stem(`${server}_${tool}`)
