/**
 * The command `/tools`: lists the tools of a session without asking the model (OWN-4). Announced by AgentApp when a session has
 * been opened, run by Sessions in the place of a prompt turn.
 */
import type { AvailableCommand, SessionUpdate, StopReason } from "@agentclientprotocol/sdk"
import { Wording } from "@acp-client-tools/protocol"
import { Effect } from "effect"
import * as Host from "../Host.ts"
import type * as PromptTurn from "./PromptTurn.ts"
import type { PromptBlock } from "./SessionEntry.ts"
import type { StoreFailed } from "./SessionStore.ts"
import type { Contents } from "./Toolbox.ts"

const NAME = "tools"

const commands: Array<AvailableCommand> = [{ name: NAME, description: Wording.toolsCommandDescription }]

/** The commands of a session, for the client to offer. */
export const announcement: SessionUpdate = { sessionUpdate: "available_commands_update", availableCommands: commands }

/** True for a prompt that is the command and nothing else. */
export const isIn = (content: ReadonlyArray<PromptBlock>): boolean => {
  const [block] = content
  return content.length === 1 && block?.type === "text" && block.text.trim() === `/${NAME}`
}

/** What a session has and what it has not, in Markdown: each tool as the model is told of it. */
export const toText = ({ leftOut, tools }: Contents): string => {
  const listed = [...tools.values()].map(({ declaration: { description, name, parameters }, source }) =>
    Wording.toolListed(name, source, description, JSON.stringify(parameters))
  )
  return [
    tools.size === 0 ? Wording.noToolsListed : Wording.toolsListed(tools.size),
    ...listed,
    ...(leftOut.length === 0
      ? []
      : ["", Wording.toolsLeftOut, ...leftOut.map(({ source, what }) => Wording.toolLeftOut(source, what))])
  ]
    .join("\n")
    .toWellFormed()
}

/** Answers the command. Both are told again by a load, and neither is shown to the model. */
export const run = Effect.fnUntraced(function* (
  { contents, history, host, sessionId }: PromptTurn.Context,
  content: ReadonlyArray<PromptBlock>
): Effect.fn.Return<StopReason, StoreFailed> {
  const answer = toText(contents())
  yield* history.append({ type: "command", content, answer })
  yield* Host.report(host, sessionId, {
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: answer }
  })
  yield* history.kept
  return "end_turn"
})
