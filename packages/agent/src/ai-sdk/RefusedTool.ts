/**
 * The tool that a provider's refusal is about, named in what the user reads. Called by LanguageModel: providers speak of a
 * tool by the name they were told, or by its place among the tools of the request.
 */
import { type ToolDeclaration, Wording } from "@acp-client-tools/protocol"
import type { ProviderFailure } from "./ProviderFailure.ts"
import type { ToolAlias } from "./ToolAlias.ts"

/** `tools.3.custom.input_schema`, `tools[0].function_declarations[3]`, `["body","tools",3,"function"]`. The inner list first. */
const places = [/function_?declarations\[(\d+)/i, /\btools(?:\[|\.|\/|\\?["'],\s*)(\d+)/]

const placeIn = (text: string): number | undefined => {
  const [place] = places.flatMap((pattern) => pattern.exec(text)?.[1] ?? [])
  return place === undefined ? undefined : Number(place)
}

/** The message of a failure, with the full name of the tool where the provider says which it is. */
export const named = (
  { body, message }: ProviderFailure,
  tools: ReadonlyArray<ToolDeclaration.ToolDeclaration>,
  { inText }: ToolAlias
): string => {
  const text = inText(message)
  const tool = tools[placeIn(message) ?? placeIn(body) ?? tools.length]
  return tool === undefined || text.includes(tool.name) ? text : Wording.modelRefusesTool(text, tool.name)
}
