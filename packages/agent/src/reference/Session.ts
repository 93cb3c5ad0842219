/** An open session of the reference agent: what its turns work with, and the turn that runs. Kept by AgentApp. */
import type { StopReason } from "@agentclientprotocol/sdk"
import type { AgentConfig } from "@acp-client-tools/protocol"
import type { Fiber } from "effect"
import type { SessionTools } from "../ClientTools.ts"
import * as History from "./History.ts"
import type { Model } from "./Model.ts"
import type * as PromptTurn from "./PromptTurn.ts"

export interface Session {
  readonly context: PromptTurn.Context
  /** The running turn; a second prompt is refused while there is one (TURN-2). */
  turn: Fiber.Fiber<StopReason, PromptTurn.Failed> | undefined
}

/** Ids that are unique in a session: the wished one where it is new, else one made from it. */
const uniqueIds = (): ((wished: string) => string) => {
  const used = new Set<string>()
  return (wished) => {
    let id = wished
    for (let n = used.size + 1; id === "" || used.has(id); n++) id = `${wished || "call"}_${n}`
    used.add(id)
    return id
  }
}

/** A new session without a past. */
export const make = (config: AgentConfig.AgentConfig, model: Model, clientTools: SessionTools): Session => {
  let modelRequests = 0
  return {
    context: {
      ...clientTools.context,
      model,
      systemPrompt: config.systemPrompt,
      history: History.make(),
      tools: clientTools.byModelName,
      maxTurnRequests: config.maxTurnRequests,
      nextModelRequest: () => modelRequests++,
      uniqueToolCallId: uniqueIds()
    },
    turn: undefined
  }
}
