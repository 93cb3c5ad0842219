/**
 * What an agent may ask of its client beside tools: ACP `fs` and `terminal/*`, advertised and served exactly as far as there
 * are functions for it. Used by whoever makes a `client()` app of the ACP SDK.
 */
import {
  type ClientApp,
  type ClientCapabilities,
  type CreateTerminalResponse,
  RequestError,
  type TerminalOutputResponse,
  type WaitForTerminalExitResponse
} from "@agentclientprotocol/sdk"
import { Identifiers, Json, Wording } from "@acp-client-tools/protocol"
import * as Cancellable from "../Cancellable.ts"
import * as Settle from "../Settle.ts"
import type { FileSystem } from "./FileSystem.ts"
import type { Context, Effectful, Folders } from "./Service.ts"
import * as ServiceAnswer from "./ServiceAnswer.ts"
import type { Terminals } from "./Terminals.ts"

export interface Services {
  readonly fs?: Effectful<FileSystem> | undefined
  readonly terminal?: Effectful<Terminals> | undefined
}

/** A session's folders by its id; `undefined` for one that the client does not have. */
export type FoldersOf = (sessionId: string) => Folders | undefined

export interface ClientServices {
  /** What to put into `clientCapabilities` of `initialize`. */
  readonly capabilities: Required<Pick<ClientCapabilities, "fs" | "terminal">>
  /** Adds the handlers to a `client()` app of the ACP SDK. What is not there gets none, so that it stays `-32601`. */
  readonly addTo: (app: ClientApp) => ClientApp
  /** Ends what still runs for a session, or for all that were served here. Rejects as the `end` of the terminals fails. */
  readonly end: (sessionId?: string) => Promise<void>
}

const content = (value: unknown) => (typeof value === "string" ? { content: value } : undefined)

const isCreated = (value: unknown): value is CreateTerminalResponse => typeof Json.get(value, "terminalId") === "string"
const created = (value: unknown) => (isCreated(value) ? value : undefined)

const isOutput = (value: unknown): value is TerminalOutputResponse =>
  typeof Json.get(value, "output") === "string" && typeof Json.get(value, "truncated") === "boolean"
const output = (value: unknown) => (isOutput(value) ? value : undefined)

const isExit = (value: unknown): value is WaitForTerminalExitResponse => Json.isObject(value)
const exit = (value: unknown) => (isExit(value) ? value : undefined)

const done = () => ({})

interface Request<Params> {
  readonly params: Params
  readonly signal: AbortSignal
}

/** The handler of a method: finds the session, runs the function, decodes what it gives; answers every failure readably. */
const handler =
  (foldersOf: FoldersOf) =>
  <Params extends { readonly sessionId: string }, A>(
    method: string,
    serve: (params: Params, context: Context) => unknown,
    decode: (value: unknown) => A | undefined
  ) => {
    const answer = async ({ params, signal }: Request<Params>): Promise<A> => {
      const folders = foldersOf(params.sessionId)
      if (folders === undefined)
        throw new RequestError(Identifiers.INVALID_PARAMS, Wording.sessionUnknown(params.sessionId))
      const { additionalDirectories, cwd } = folders
      const context = { sessionId: params.sessionId, cwd, additionalDirectories, signal }
      return ServiceAnswer.fromValue(method, await Settle.settle(await serve(params, context), signal), decode)
    }
    return (request: Request<Params>): Promise<A> =>
      Cancellable.run(request.signal, () =>
        answer(request).catch((cause: unknown) => {
          throw ServiceAnswer.fromFailure(cause)
        })
      )
  }

/** The functions with their capabilities and handlers. Requests of a session that `foldersOf` does not know are refused. */
export const make = ({ fs, terminal }: Services, foldersOf: FoldersOf): ClientServices => {
  const served = new Set<string>()
  const handles = handler((sessionId) => {
    const folders = foldersOf(sessionId)
    if (folders !== undefined) served.add(sessionId)
    return folders
  })
  const readTextFile = fs?.readTextFile?.bind(fs)
  const writeTextFile = fs?.writeTextFile?.bind(fs)
  return {
    capabilities: {
      fs: { readTextFile: readTextFile !== undefined, writeTextFile: writeTextFile !== undefined },
      terminal: terminal !== undefined
    },
    addTo: (app) => {
      if (readTextFile !== undefined)
        app.onRequest("fs/read_text_file", handles("fs/read_text_file", readTextFile, content))
      if (writeTextFile !== undefined)
        app.onRequest("fs/write_text_file", handles("fs/write_text_file", writeTextFile, done))
      if (terminal !== undefined) {
        app
          .onRequest("terminal/create", handles("terminal/create", terminal.create.bind(terminal), created))
          .onRequest("terminal/output", handles("terminal/output", terminal.output.bind(terminal), output))
          .onRequest(
            "terminal/wait_for_exit",
            handles("terminal/wait_for_exit", terminal.waitForExit.bind(terminal), exit)
          )
          .onRequest("terminal/kill", handles("terminal/kill", terminal.kill.bind(terminal), done))
          .onRequest("terminal/release", handles("terminal/release", terminal.release.bind(terminal), done))
      }
      return app
    },
    end: async (sessionId) => {
      const over = sessionId === undefined ? [...served] : [sessionId]
      over.forEach((id) => served.delete(id))
      await Promise.all(over.map(async (id) => Settle.settle(await terminal?.end(id))))
    }
  }
}
