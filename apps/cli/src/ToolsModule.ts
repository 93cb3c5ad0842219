/** A file of tool definitions: a JavaScript or TypeScript module whose default export is an array (CLI-1). */
import { access } from "node:fs/promises"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { Toolkit } from "@acp-client-tools/client"
import { LogLine, Thrown } from "@acp-client-tools/protocol"
import { Effect } from "effect"
import * as EarlyExit from "./EarlyExit.ts"
import { badInput, type Failure } from "./Failure.ts"

const firstLine = (cause: unknown): string => LogLine.escape(Thrown.text(cause).split("\n", 1).join())

/** How long a module may take to load, in ms: a promise awaited at its top may never settle. */
const LOAD_TIMEOUT = 10_000

/** Imports the module. One that ends the process meanwhile still gets its message and its exit code. */
const importModule = async (file: string, signal: AbortSignal): Promise<{ readonly default?: unknown }> => {
  const over = EarlyExit.watch(`${file}: the tools module ends the process while it loads`, () => badInput("").exitCode)
  signal.addEventListener("abort", over, { once: true })
  try {
    return await import(pathToFileURL(resolve(file)).href)
  } finally {
    over()
  }
}

const load = (file: string): Effect.Effect<unknown, Failure> =>
  Effect.tryPromise({
    try: () => access(file),
    catch: () => badInput(`${file}: there is no such tools module`)
  }).pipe(
    Effect.andThen(
      Effect.tryPromise({
        try: (signal) => importModule(file, signal),
        catch: (cause) => {
          const place = cause instanceof SyntaxError ? `; node --check ${file} shows where` : ""
          return badInput(`${file}: the tools module does not load: ${firstLine(cause)}${place}`)
        }
      })
    ),
    Effect.timeoutOrElse({
      duration: LOAD_TIMEOUT,
      orElse: () => Effect.fail(badInput(`${file}: the tools module did not load within ${LOAD_TIMEOUT / 1000} s`))
    }),
    Effect.map((module) => module.default)
  )

/** The tools of the module, or what to change in it: every fault, a line each. */
export const read = Effect.fnUntraced(function* (file: string): Effect.fn.Return<Toolkit.Toolkit, Failure> {
  const definitions = yield* load(file)
  const made = yield* Effect.try({
    try: () => (Array.isArray(definitions) ? Toolkit.decode(definitions) : undefined),
    catch: (cause) => badInput(`${file}: the definitions cannot be read: ${firstLine(cause)}`)
  })
  if (made === undefined) {
    return yield* badInput(`${file}: the default export must be an array of tool definitions`)
  }
  return yield* Effect.fromResult(made).pipe(
    Effect.mapError(({ message }) => {
      const lines = message.split("\n").map((line) => `${file}: ${line}`)
      return badInput(lines.join("\n"))
    })
  )
})
