/** The version of this command, as its package says. */
import manifest from "../package.json" with { type: "json" }

export const version: string = manifest.version
