/**
 * Client tools for any ACP agent. In the order an agent meets them: a `Host` is made from the connection, `ClientTools`
 * from the `initialize` request; each session is opened in it; the model's calls go to its `call`.
 * `LoopDetector` counts what a turn repeats. `Tool` and `ToolCall` are for agents that run tools of other kinds through the same steps, `SameChunk` for their cancels.
 */
export * as ClientTools from "./ClientTools.ts"
export * as Host from "./Host.ts"
export * as LoopDetector from "./LoopDetector.ts"
export * as Permission from "./Permission.ts"
export * as SameChunk from "./SameChunk.ts"
export * as Tool from "./Tool.ts"
export * as ToolCall from "./ToolCall.ts"
export * as ToolCallReport from "./ToolCallReport.ts"
