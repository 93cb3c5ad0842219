/**
 * Runs wire transcripts of the client-tools extension against any agent or client, over raw JSON lines.
 *
 * @module
 */
export type { Json, JsonObject } from "./Json.ts"
export * as Matcher from "./Matcher.ts"
export * as Peer from "./Peer.ts"
export * as RunTranscript from "./RunTranscript.ts"
export * as Transcript from "./Transcript.ts"
