/** The built-in tool `list_directory`: always on the agent's machine, as ACP's `fs` has no method for it (OWN-2). */
import { Wording } from "@acp-client-tools/protocol"
import { Effect, Schema } from "effect"
import * as Tool from "../../Tool.ts"
import type { Entry, Files } from "../Files.ts"
import * as BuiltInTool from "./BuiltInTool.ts"

const Arguments = Schema.Struct({
  path: Schema.optionalKey(
    Schema.String.annotate({
      description: "The folder, absolute or relative to the session's folder, which it is when absent."
    })
  )
})

const marks: Record<Entry["kind"], string> = { file: "", folder: "/", link: "@", other: "?" }

export const make = (place: BuiltInTool.Place, files: Files): Tool.Tool =>
  BuiltInTool.make(
    {
      name: "list_directory",
      description:
        "List what is in a folder, a line each: folders end in /, symbolic links in @, what is no file in ?.",
      schema: Arguments,
      kind: "read",
      title: ({ path = "." }) => Wording.listDirectoryTitle(path),
      execute: ({ path = "." }) =>
        files.list({ cwd: place.cwd, path }).pipe(
          Effect.map((entries) => {
            const lines = entries.map(({ kind, name }) => name + marks[kind])
            return BuiltInTool.succeeded(lines.length === 0 ? Wording.folderEmpty : lines.join("\n"))
          }),
          Effect.catchTag("FileRefused", ({ message }) => Effect.succeed(Tool.failed(message)))
        )
    },
    place
  )
