/** Errors of the operating system in words. Called by whatever touches files, on either side. */
import * as Json from "./Json.ts"
import * as Thrown from "./Thrown.ts"
import * as Wording from "./Wording.ts"

/** The code an error carries: `ENOENT`. */
export const code = (cause: unknown): string => String(Json.get(cause, "code"))

/** Why it happened. */
export const reason = (cause: unknown): string => Wording.systemErrors[code(cause)] ?? Thrown.text(cause)
