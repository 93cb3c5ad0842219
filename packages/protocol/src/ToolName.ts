/** The name of a tool as the model sees it [Tool description]. Called by ToolSet for every entry of a list. */
import { MODEL_NAME_PREFIX } from "./Identifiers.ts"

/**
 * `client_` and the name with every run of characters outside `[A-Za-z0-9]` turned into one `_`, none of them leading or
 * trailing. Case is kept, nothing is folded, nothing is shortened. `undefined` when nothing is left (NAME-1, NAME-2,
 * NAME-3).
 */
export const toModelName = (name: string): string | undefined => {
  const stem = name.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "")
  return stem === "" ? undefined : MODEL_NAME_PREFIX + stem
}
