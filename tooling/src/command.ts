/** A program run to its end. */
import { execFile } from "node:child_process"

export interface Ended {
  readonly ok: boolean
  readonly stdout: string
  /** Everything it said, and why it did not run at all. */
  readonly said: string
}

export interface Options {
  readonly cwd: string
}

export const run = (command: string, args: ReadonlyArray<string>, { cwd }: Options): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const said = `${stdout}${stderr}`.trim()
      resolve({ ok: error === null, stdout, said: said === "" && error !== null ? error.message : said })
    })
  })

/** What went wrong, in words; nothing when nothing did. */
export const fault = (what: string, { ok, said }: Ended): ReadonlyArray<string> => (ok ? [] : [`${what}: ${said}`])
