/** A tool of the agent's own: a name, a schema and what it does. Made by ReadFile, ListDirectory, WriteFile and RunCommand. */
import type { ToolKind } from "@agentclientprotocol/sdk"
import {
  type GoDuration,
  InputSchema,
  Json,
  type JsonObject,
  ToolDeclaration,
  Wording
} from "@acp-client-tools/protocol"
import { Effect, Result, Schema, SchemaIssue } from "effect"
import type { ConnectionClosed, Host, RequestRejected } from "../../Host.ts"
import * as Tool from "../../Tool.ts"

/** Where the tools work: the session, and the client that may do the work. */
export interface Place {
  readonly sessionId: string
  /** The session's folder. */
  readonly cwd: string
  readonly host: Pick<Host, "request">
  readonly timeout: GoDuration.GoDuration
}

export interface Definition<A> {
  readonly name: string
  readonly description: string
  /** What the model must send, as a `Schema.Struct`. */
  readonly schema: Schema.Codec<A, unknown>
  readonly kind: ToolKind
  /** What the editor shows of a call. */
  readonly title: (args: A) => string
  /** A rejection by the client is told to the model as it came (ERR-1). */
  readonly execute: (args: A) => Effect.Effect<Tool.Answer, RequestRejected | ConnectionClosed>
}

const faultsOf = SchemaIssue.makeFormatterStandardSchemaV1()

const faultTexts = ({ issue }: Schema.SchemaError): ReadonlyArray<string> =>
  faultsOf(issue).issues.map(({ message, path = [] }) => Wording.argumentFault(path.map(String).join("."), message))

/** The answer of a tool that succeeded. */
export const succeeded = (text: string): Tool.Answer => ({ kind: "result", result: text })

/** A path as ACP wants it: absolute. What it leads to is the client's to judge. */
export const absolute = (cwd: string, path: string): string =>
  /^([\\/]|[A-Za-z]:[\\/])/.test(path) ? path : `${cwd.replace(/[\\/]$/, "")}/${path}`

/** The tool; its permission is asked for in mode `auto`, like that of a client's tool (OWN-1). */
export const make = <A>(definition: Definition<A>, { timeout }: Place): Tool.Tool => {
  const { description, execute, kind, name, schema, title } = definition
  const { "~standard": standard } = Schema.toStandardJSONSchemaV1(schema)
  const input = standard.jsonSchema.input({ target: "draft-2020-12" })
  const rewritten = Result.getOrThrow(InputSchema.rewrite(Json.isObject(input) ? input : undefined))
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return {
    declaration: ToolDeclaration.make(name, description, rewritten),
    requiredParameters: rewritten.requiredParameters,
    source: Wording.sourceBuiltIn,
    title: name,
    titleOf: (args: JsonObject) => Result.match(decode(args), { onFailure: () => name, onSuccess: title }),
    kind,
    permissions: "auto",
    permissionKey: JSON.stringify([name, "built-in"]),
    timeout,
    execute: (args) =>
      Result.match(decode(args), {
        onFailure: (error) => Effect.succeed(Tool.failed(Wording.invalidArguments(faultTexts(error), 0))),
        onSuccess: (decoded) =>
          execute(decoded).pipe(
            Effect.catchTag("RequestRejected", ({ error }) => Effect.succeed<Tool.Answer>({ kind: "error", error }))
          )
      })
  }
}
