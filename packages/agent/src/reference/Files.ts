/**
 * The files of the agent's machine, as its own tools look at them where the client has no `fs` (OWN-2). Given to AgentApp;
 * LocalFiles of the `/node` entry is one.
 */
import { type Effect, Schema } from "effect"

/** What was asked for cannot be had. The message is for the model: it says why, and what to do. */
export class FileRefused extends Schema.TaggedError<FileRefused>()("FileRefused", { message: Schema.String }) {}

/** A text file, or some of its lines. */
export interface ReadRequest {
  /** The session's folder, which no path leaves. */
  readonly cwd: string
  /** Absolute, or relative to `cwd`. */
  readonly path: string
  /** The first line that is wanted, from 1. */
  readonly line?: number | undefined
  /** How many lines are wanted. */
  readonly limit?: number | undefined
}

export interface Entry {
  readonly name: string
  readonly kind: "file" | "folder" | "link" | "other"
}

export interface Files {
  readonly read: (request: ReadRequest) => Effect.Effect<string, FileRefused>
  /** What is in a folder, sorted by name. */
  readonly list: (request: Pick<ReadRequest, "cwd" | "path">) => Effect.Effect<ReadonlyArray<Entry>, FileRefused>
}
