/** The two programs of every run with faults, as plain JavaScript: bundled once, each starts in a third of the time. */
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import * as Folder from "../Folder.ts"

export interface FaultPrograms extends AsyncDisposable {
  readonly client: string
  readonly relay: string
}

const source = (name: string): string => fileURLToPath(new URL(`./${name}.ts`, import.meta.url))

export const make = async (): Promise<FaultPrograms> => {
  const folder = await Folder.make({ "package.json": '{ "type": "module" }' })
  await build({
    input: { client: source("FaultClient"), relay: source("FaultRelay") },
    platform: "node",
    logLevel: "silent",
    output: { dir: folder.path(".") }
  })
  return {
    client: folder.path("client.js"),
    relay: folder.path("relay.js"),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]()
  }
}
