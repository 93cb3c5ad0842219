/** The lines an agent writes on stderr about client tools [Log lines]. Called by Discovery and by whoever owns stderr. */
import type { ClientTool } from "./ClientTool.ts"
import type { Skipped } from "./ToolSet.ts"
import * as Wording from "./Wording.ts"

const shortEscapes: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

/**
 * The text on one line: C0 and C1 control characters, DEL and the Unicode line separators are written as `\n`, `\r`, `\t`
 * or `\u001b` (LOG-5), so that a peer can neither forge a line nor drive a terminal.
 */
export const escape = (text: string): string =>
  text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const names = (tools: ReadonlyArray<Pick<ClientTool, "modelName">>): string =>
  tools.length === 0 ? Wording.logNoTools : tools.map((tool) => tool.modelName).join(", ")

/** LOG-1 */
export const metaTools = (tools: ReadonlyArray<Pick<ClientTool, "modelName">>): string =>
  Wording.logMetaTools(names(tools))

/** LOG-2 */
export const sessionTools = (sessionId: string, tools: ReadonlyArray<Pick<ClientTool, "modelName">>): string =>
  Wording.logSessionTools(escape(sessionId), names(tools))

/** LOG-3 */
export const skipped = (entry: Skipped): string => Wording.logSkipped(entry.index, escape(entry.reason))

/** LOG-4 */
export const listFailed = (sessionId: string, why: string): string =>
  Wording.logListFailed(escape(sessionId), escape(why))
