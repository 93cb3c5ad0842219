/**
 * What serves ACP `fs`: the files of this machine (LocalFiles of the `/node` entry), or an editor's unsaved buffers. A
 * function that is absent is not offered to the agent.
 */
import type { ReadTextFileRequest, WriteTextFileRequest } from "@agentclientprotocol/sdk"
import type { Context, Outcome } from "./Service.ts"

export interface FileSystem {
  /** Gives the text: all of it, or `limit` lines beginning with `line`, which counts from 1. */
  readonly readTextFile?: (request: ReadTextFileRequest, context: Context) => Outcome<string>
  /** Puts the content in the place of the whole file; creates a file that is not there. What it gives is not looked at. */
  readonly writeTextFile?: (request: WriteTextFileRequest, context: Context) => unknown
}
