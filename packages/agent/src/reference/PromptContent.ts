/** The blocks of a `session/prompt` as text for the model. Called by AgentApp for every prompt. */
import type { ContentBlock } from "@agentclientprotocol/sdk"

const resourceText = (block: Extract<ContentBlock, { type: "resource" }>): string =>
  "text" in block.resource
    ? `<resource uri="${block.resource.uri}">\n${block.resource.text}\n</resource>`
    : `<resource uri="${block.resource.uri}" mimeType="${block.resource.mimeType ?? "application/octet-stream"}"/>`

/** The type of the first block the agent did not advertise, `undefined` when all can be read. */
export const unsupported = (blocks: ReadonlyArray<ContentBlock>): string | undefined =>
  blocks.find((block) => block.type === "image" || block.type === "audio")?.type

/** The blocks one after the other: text as it is, links in Markdown, embedded resources between tags. */
export const toText = (blocks: ReadonlyArray<ContentBlock>): string =>
  blocks
    .flatMap((block) => {
      switch (block.type) {
        case "text":
          return [block.text]
        case "resource_link":
          return [`[${block.title ?? block.name}](${block.uri})`]
        case "resource":
          return [resourceText(block)]
        default:
          return []
      }
    })
    .join("\n")
    .toWellFormed()
