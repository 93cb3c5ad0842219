/** An open session of the reference agent. Kept by Sessions; a load or a resume replaces it (REQ-8). */
import type { AgentConfig } from "@acp-client-tools/protocol"
import type { Effect } from "effect"
import type { Grants } from "../Permission.ts"
import type { History } from "./History.ts"
import type { Model } from "./Model.ts"
import type * as PromptTurn from "./PromptTurn.ts"
import type { SessionLog } from "./SessionStore.ts"
import type { Toolbox } from "./Toolbox.ts"

export interface Session {
  /** What its turns work with. */
  readonly context: PromptTurn.Context
  readonly log: SessionLog
  /** Ends what was started for the session: its MCP servers. */
  readonly end: Effect.Effect<void>
}

/** What of a session outlives its tools. */
export interface Past {
  readonly log: SessionLog
  readonly history: History
  /** Absent for a session that was not open. */
  readonly grants?: Grants
}

/** A session with the past it has and the tools it was given. */
export const make = (
  config: AgentConfig.AgentConfig,
  model: Model,
  { clientTools, contents }: Toolbox,
  { history, log }: Past,
  end: Effect.Effect<void>
): Session => ({
  context: {
    ...clientTools.context,
    model,
    systemPrompt: config.systemPrompt,
    history,
    contents,
    maxTurnRequests: config.maxTurnRequests,
    newLoopDetector: clientTools.newLoopDetector
  },
  log,
  end
})

/** What a session hands on to the one that replaces it. */
export const past = ({ context: { grants, history }, log }: Session): Past => ({ grants, history, log })
