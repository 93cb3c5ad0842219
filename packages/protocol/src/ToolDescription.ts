/** One entry of a tool list as it stands on the wire [Tool description]. Called by ToolSet. */
import { Result, Schema, SchemaIssue } from "effect"
import * as Json from "./Json.ts"
import * as Wording from "./Wording.ts"

/**
 * The shape of an entry. `null` counts as absent (TOOL-2) and other keys are ignored (TOOL-1); what a present field must
 * hold beyond its type is checked by ToolSet, in the order of LIST-1.
 */
export const ToolDescription = Schema.Struct({
  /** The tool's name, unique in its list once turned into a model name. */
  name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** What the model reads to decide when to call the tool. */
  description: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The extension method of a call; starts with `_` and goes on the wire byte for byte. */
  method: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** JSON Schema of the arguments. */
  inputSchema: Schema.optionalKey(Schema.NullOr(Json.JsonObject))
})
export type ToolDescription = typeof ToolDescription.Type

const decodeUnknown = Schema.decodeUnknownResult(ToolDescription)

// The values themselves stay out of the message: a peer's text may be long, and of any depth.
const issues = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: () => "" })

/** The entry, or why it is not one: `name must be a string, got number` (LIST-2). */
export const decode = (entry: unknown): Result.Result<ToolDescription, string> => {
  const decoded = decodeUnknown(entry)
  if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
  const field = issues(decoded.failure.issue).issues[0]?.path?.[0]
  if (typeof field !== "string") {
    return Result.fail(Wording.mustBe(undefined, Wording.aJsonObject, Json.typeName(entry)))
  }
  const expected = field === "inputSchema" ? Wording.aJsonObject : Wording.aString
  return Result.fail(Wording.mustBe(field, expected, Json.typeName(Json.get(entry, field))))
}
