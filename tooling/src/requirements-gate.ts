/**
 * The gate between the requirement manifest and the tests: every clause that is not pending is cited by a test that
 * passed, and nothing else is. Called by the reporter at the end of a whole run.
 */
import type { Clause } from "@acp-client-tools/spec"

const citation = /\[((?:[A-Z]+-\d+\.[a-z]+(?:, | )?)+)\]/g

/** The clauses a test cites: in square brackets in its title, or in a title of a suite around it. */
export const cited = (fullTitle: string): ReadonlyArray<string> =>
  [...fullTitle.matchAll(citation)].flatMap(([, ids = ""]) => ids.split(/,? /).filter((id) => id !== ""))

/** What is wrong, a line each; nothing when all is well. */
export const faults = (clauses: ReadonlyArray<Clause>, passedTitles: ReadonlyArray<string>): ReadonlyArray<string> => {
  const proven = new Set(passedTitles.flatMap(cited))
  const known = new Set(clauses.map(({ id }) => id))
  return [
    ...clauses
      .filter(({ id, pending }) => pending === undefined && !proven.has(id))
      .map(({ id, sentence }) => `${id} is proven by no test: ${sentence}`),
    ...clauses
      .filter(({ id, pending }) => pending !== undefined && proven.has(id))
      .map(({ id, pending }) => `${id} is proven, and still pending for "${pending}"`),
    ...[...proven].filter((id) => !known.has(id)).map((id) => `${id} is cited and is no clause of the manifest`)
  ]
}

/** How far the manifest has come. */
export const summary = (clauses: ReadonlyArray<Clause>, passedTitles: ReadonlyArray<string>): string => {
  const proven = new Set(passedTitles.flatMap(cited))
  const pending = clauses.filter((clause) => clause.pending !== undefined)
  return `requirements: ${clauses.filter(({ id }) => proven.has(id)).length} clauses proven, ${pending.length} pending for later issues`
}
