/**
 * What modules reach when they are loaded. Files are read as Node reads them, with the types stripped, so an import of
 * types alone does not count, and `import { type A } from "a"` does: it loads `a`.
 */
import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { init, parse } from "es-module-lexer"

await init

/** Specifiers of other packages and of Node, sorted. */
export interface Reach {
  /** Loaded with the entry. */
  readonly eager: ReadonlyArray<string>
  /** Loaded only when an `import()` on the way is run. */
  readonly lazy: ReadonlyArray<string>
}

interface Import {
  readonly specifier: string
  readonly lazy: boolean
}

/** What the lexer gives as `d` for an `import.meta`, and for a static import. */
const META = -2
const STATIC = -1

const importsOf = (file: URL): ReadonlyArray<Import> => {
  const code = stripTypeScriptTypes(readFileSync(file, "utf8"))
  return parse(code, file.href)[0]
    .filter(({ d }) => d !== META)
    .map(({ n, d, s, e }) => ({ specifier: n ?? `import(${code.slice(s, e)})`, lazy: d !== STATIC }))
}

const externals = (entries: ReadonlyArray<URL>, follows: (found: Import) => boolean): ReadonlySet<string> => {
  const found = new Set<string>()
  const seen = new Set<string>()
  const pending = [...entries]
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (seen.has(file.href)) continue
    seen.add(file.href)
    for (const { specifier } of importsOf(file).filter(follows)) {
      if (specifier.startsWith(".")) pending.push(new URL(specifier, file))
      else found.add(specifier)
    }
  }
  return found
}

/** What these modules reach, themselves or through files beside them. */
export const reach = (...entries: ReadonlyArray<URL>): Reach => {
  const eager = externals(entries, ({ lazy }) => !lazy)
  const all = [...externals(entries, () => true)].toSorted()
  return { eager: all.filter((name) => eager.has(name)), lazy: all.filter((name) => !eager.has(name)) }
}
