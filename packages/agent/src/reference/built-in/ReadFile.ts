/** The built-in tool `read_file`: through the client's `fs` where it has one, else on the agent's machine (OWN-2). */
import { Json, Wording } from "@acp-client-tools/protocol"
import { Effect, Schema } from "effect"
import * as Tool from "../../Tool.ts"
import type { Files, ReadRequest } from "../Files.ts"
import * as BuiltInTool from "./BuiltInTool.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const Arguments = Schema.Struct({
  path: Schema.String.annotate({ description: "The file, absolute or relative to the session's folder." }),
  line: Schema.optionalKey(Count.annotate({ description: "The first line to read, from 1." })),
  limit: Schema.optionalKey(Count.annotate({ description: "How many lines to read." }))
})

const METHOD = "fs/read_text_file"

const throughClient =
  ({ cwd, host, sessionId }: BuiltInTool.Place) =>
  ({ path, ...lines }: typeof Arguments.Type) =>
    host.request(METHOD, { sessionId, path: BuiltInTool.absolute(cwd, path), ...lines }).pipe(
      Effect.map((answer) => {
        const content = Json.get(answer, "content")
        return typeof content === "string"
          ? BuiltInTool.succeeded(content)
          : Tool.failed(Wording.answerWithout(METHOD, "content"))
      })
    )

const onMachine =
  (files: Files, cwd: string) =>
  (request: Omit<ReadRequest, "cwd">): Effect.Effect<Tool.Answer> =>
    files.read({ ...request, cwd }).pipe(
      Effect.map(BuiltInTool.succeeded),
      Effect.catchTag("FileRefused", ({ message }) => Effect.succeed(Tool.failed(message)))
    )

/** `files` is absent where the client's `fs` reads. */
export const make = (place: BuiltInTool.Place, files: Files | undefined): Tool.Tool =>
  BuiltInTool.make(
    {
      name: "read_file",
      description: "Read a text file, whole or some of its lines.",
      schema: Arguments,
      kind: "read",
      title: ({ path }) => Wording.readFileTitle(path),
      execute: files === undefined ? throughClient(place) : onMachine(files, place.cwd)
    },
    place
  )
