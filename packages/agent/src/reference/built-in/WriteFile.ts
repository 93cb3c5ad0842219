/** The built-in tool `write_file`: through the client's `fs`, and only where it has one that writes (OWN-2). */
import { Wording } from "@acp-client-tools/protocol"
import { Effect, Schema } from "effect"
import type * as Tool from "../../Tool.ts"
import * as BuiltInTool from "./BuiltInTool.ts"

const Arguments = Schema.Struct({
  path: Schema.String.annotate({ description: "The file, absolute or relative to the session's folder." }),
  content: Schema.String.annotate({ description: "The whole text of the file." })
})

export const make = (place: BuiltInTool.Place): Tool.Tool =>
  BuiltInTool.make(
    {
      name: "write_file",
      description: "Write a text file, in place of what it held.",
      schema: Arguments,
      kind: "edit",
      title: ({ path }) => Wording.writeFileTitle(path),
      execute: ({ content, path }) =>
        place.host
          .request("fs/write_text_file", {
            sessionId: place.sessionId,
            path: BuiltInTool.absolute(place.cwd, path),
            content
          })
          .pipe(Effect.as(BuiltInTool.succeeded(Wording.fileWritten(path))))
    },
    place
  )
