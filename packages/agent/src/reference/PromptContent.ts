/** The blocks of a `session/prompt`, and their text for the model. Called by Sessions for every prompt, by History after it. */
import type { ContentBlock } from "@agentclientprotocol/sdk"
import { Json, Wording } from "@acp-client-tools/protocol"
import { Result } from "effect"
import type { PromptBlock } from "./SessionEntry.ts"

const isSupported = (block: ContentBlock): block is Extract<ContentBlock, PromptBlock> =>
  block.type === "text" || block.type === "resource_link" || block.type === "resource"

/** How deep a prompt may be nested, in its `_meta` or elsewhere: what is deeper could not be told again. */
const MAX_LEVELS = 1_000

/** The blocks, or why they cannot be taken: nothing in them, a type the agent did not advertise, too deep. */
export const decode = (blocks: ReadonlyArray<ContentBlock>): Result.Result<ReadonlyArray<PromptBlock>, string> => {
  const unsupported = blocks.find((block) => !isSupported(block))
  if (unsupported !== undefined) return Result.fail(Wording.blockNotSupported(unsupported.type))
  if (blocks.every((block) => block.type === "text" && block.text === "")) return Result.fail(Wording.promptEmpty)
  if (Json.isDeeperThan(blocks, MAX_LEVELS)) return Result.fail(Wording.promptTooDeep(MAX_LEVELS))
  return Result.succeed(blocks.filter(isSupported))
}

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

/** A name for people: the first line that says something, at most 80 code points. */
export const toTitle = (blocks: ReadonlyArray<PromptBlock>): string => {
  const line = /\S.*/.exec(toText(blocks))?.[0]
  const words = line?.replaceAll(/[\p{Cc}\s]+/gu, " ").trim()
  if (words === undefined || words === "") return Wording.untitled
  const characters = Array.from(words.slice(0, 2 * MAX_TITLE + 2))
  return characters.length > MAX_TITLE ? `${characters.slice(0, MAX_TITLE - 1).join("")}…` : words
}
