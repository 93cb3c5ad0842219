/** Anything an agent did that ends the client's work with it, in a sentence for the user. */
import { Schema } from "effect"

export class AgentFailed extends Schema.TaggedError<AgentFailed>()("AgentFailed", {
  message: Schema.String,
  /** The JSON-RPC error code, where the agent answered with an error. */
  code: Schema.optionalKey(Schema.Finite)
}) {}
