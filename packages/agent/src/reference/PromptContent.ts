/** The blocks of a `session/prompt`, and their text for the model. Called by Sessions for every prompt, by History after it. */
import type { ContentBlock } from "@agentclientprotocol/sdk"
import type { PromptBlock } from "./SessionEntry.ts"

const isSupported = (block: ContentBlock): block is Extract<ContentBlock, PromptBlock> =>
  block.type === "text" || block.type === "resource_link" || block.type === "resource"

/** The blocks, or the type of the first one the agent did not advertise. */
export const decode = (blocks: ReadonlyArray<ContentBlock>): ReadonlyArray<PromptBlock> | string =>
  blocks.every(isSupported) ? blocks : (blocks.find((block) => !isSupported(block))?.type ?? "")

const resourceText = ({ resource }: Extract<PromptBlock, { readonly type: "resource" }>): string =>
  "text" in resource
    ? `<resource uri="${resource.uri}">\n${resource.text}\n</resource>`
    : `<resource uri="${resource.uri}" mimeType="${resource.mimeType ?? "application/octet-stream"}"/>`

const blockText = (block: PromptBlock): string => {
  switch (block.type) {
    case "text":
      return block.text
    case "resource_link":
      return `[${block.title ?? block.name}](${block.uri})`
    case "resource":
      return resourceText(block)
  }
}

/** The blocks one after the other: text as it is, links in Markdown, embedded resources between tags. */
export const toText = (blocks: ReadonlyArray<PromptBlock>): string => blocks.map(blockText).join("\n").toWellFormed()

const MAX_TITLE = 80

/** A name for people: the first line that says something, at most 80 code points; `undefined` when none does. */
export const toTitle = (blocks: ReadonlyArray<PromptBlock>): string | undefined => {
  const line = /\S.*/.exec(toText(blocks))?.[0]
  const words = line?.replaceAll(/[\p{Cc}\s]+/gu, " ").trim()
  if (words === undefined || words === "") return undefined
  const characters = Array.from(words.slice(0, 2 * MAX_TITLE + 2))
  return characters.length > MAX_TITLE ? `${characters.slice(0, MAX_TITLE - 1).join("")}…` : words
}
