/** The reference agent: ACP sessions and prompt turns around ClientTools. Its model, its store and its stdio come from elsewhere. */
export * as AgentApp from "./AgentApp.ts"
export * as History from "./History.ts"
export type { FinishReason, Model, ModelEvent, ModelRequest } from "./Model.ts"
export { ModelFailed } from "./Model.ts"
export * as PromptTurn from "./PromptTurn.ts"
export * as ScriptedModel from "./ScriptedModel.ts"
export * as SessionEntry from "./SessionEntry.ts"
export * as SessionStore from "./SessionStore.ts"
