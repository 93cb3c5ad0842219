/**
 * Messages that arrived together. The ACP SDK hands over an answer at once and a notification some steps later, so that a
 * `session/cancel` can be overtaken by what came behind it. Used where a cancel must have the first word (TURN-1, PERM-6).
 */
import { Effect } from "effect"

/** Waits until everything that arrived in the same chunk has been handed over: those steps take no turn of the event loop. */
export const handled: Effect.Effect<void> = Effect.yieldNow
