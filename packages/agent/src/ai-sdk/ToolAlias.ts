/**
 * The names a provider is told: a tool's own name where the provider takes it, an alias where it does not (NAME-3). Made by
 * LanguageModel for each request from every name in it; nothing beyond that adapter sees an alias.
 */
import * as Digest from "../Digest.ts"

/** What many providers take of a name, in characters. */
export const LIMIT = 64

const HASH_DIGITS = 7

export interface ToolAlias {
  /** What the provider is told instead of a name. */
  readonly toProvider: (name: string) => string
  /** The name behind an alias; any other name stays what it is. */
  readonly toName: (told: string) => string
  /** A text of the provider, with the names in the place of their aliases. */
  readonly inText: (text: string) => string
}

/** The beginning of the name and its hash, and a number where others have that already. */
const alias = (name: string, limit: number, others: ReadonlySet<string>): string => {
  const beginning = name.replace(/[^A-Za-z0-9_-]/g, "_")
  for (let attempt = 1; ; attempt++) {
    const end = `_${Digest.of(name).slice(-HASH_DIGITS)}${attempt === 1 ? "" : `_${attempt}`}`
    const made = beginning.slice(0, limit - end.length) + end
    if (!others.has(made)) return made
  }
}

/** Less than this is taken for this: an alias holds a hash, and a beginning that can be read. */
const LEAST_LIMIT = 16

/**
 * Aliases for the names that are longer than `limit`, or hold characters no provider takes: a model can
 * call anything, and what it called stays in the history. An alias depends on its name alone unless two would be equal, and
 * then on which names there are, never on their order.
 */
export const make = (names: Iterable<string>, limitWished: number): ToolAlias => {
  const limit = Math.max(LEAST_LIMIT, limitWished)
  const accepted = new RegExp(`^[A-Za-z0-9_-]{1,${limit}}$`)
  const all = new Set(names)
  const told = new Set([...all].filter((name) => accepted.test(name)))
  const aliases = new Map<string, string>()
  for (const name of [...all].filter((other) => !accepted.test(other)).toSorted()) {
    const made = alias(name, limit, told)
    told.add(made)
    aliases.set(name, made)
  }
  const full = new Map([...aliases].map(([name, made]) => [made, name]))
  return {
    toProvider: (name) => aliases.get(name) ?? name,
    toName: (name) => full.get(name) ?? name,
    inText: (text) => [...full].reduce((said, [made, name]) => said.replaceAll(made, () => name), text)
  }
}
