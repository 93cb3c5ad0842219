/** The agent's own tools: which of them a session has (OWN-2). Made for every session that is opened. */
import type { ClientCapabilities } from "@agentclientprotocol/sdk"
import type { Tool } from "../Tool.ts"
import type { Place } from "./built-in/BuiltInTool.ts"
import * as ListDirectory from "./built-in/ListDirectory.ts"
import * as ReadFile from "./built-in/ReadFile.ts"
import * as RunCommand from "./built-in/RunCommand.ts"
import * as WriteFile from "./built-in/WriteFile.ts"
import type { Files } from "./Files.ts"

/**
 * The tools for a client of these capabilities. What reads needs a client that reads, or `files`; what changes something is
 * always the client's to do.
 */
export const make = (
  place: Place,
  capabilities: ClientCapabilities | undefined,
  files: Files | undefined
): ReadonlyArray<Tool> => {
  const clientReads = capabilities?.fs?.readTextFile === true
  return [
    ...(clientReads || files !== undefined ? [ReadFile.make(place, clientReads ? undefined : files)] : []),
    ...(files === undefined ? [] : [ListDirectory.make(place, files)]),
    ...(capabilities?.fs?.writeTextFile === true ? [WriteFile.make(place)] : []),
    ...(capabilities?.terminal === true ? [RunCommand.make(place)] : [])
  ]
}
