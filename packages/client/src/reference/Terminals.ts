/**
 * What serves ACP `terminal/*`: commands run for the agent, as child processes (LocalTerminals of the `/node` entry) or in
 * an editor's terminal panel. The ids are the implementation's own, and each is good in its session only. What `kill`,
 * `release` and `end` give is waited for, and not looked at.
 */
import type {
  CreateTerminalRequest,
  CreateTerminalResponse,
  KillTerminalRequest,
  ReleaseTerminalRequest,
  TerminalOutputRequest,
  TerminalOutputResponse,
  WaitForTerminalExitRequest,
  WaitForTerminalExitResponse
} from "@agentclientprotocol/sdk"
import type { Context, Outcome } from "./Service.ts"

export interface Terminals {
  /** Starts a command and does not wait for it. Whoever withdraws the request never learns the id: nothing may run on. */
  readonly create: (request: CreateTerminalRequest, context: Context) => Outcome<CreateTerminalResponse>
  /** What the command wrote, at most its last `outputByteLimit` bytes of UTF-8, and its exit status once it has exited. */
  readonly output: (request: TerminalOutputRequest, context: Context) => Outcome<TerminalOutputResponse>
  /** Settles when the command has exited, was killed, or was released. */
  readonly waitForExit: (request: WaitForTerminalExitRequest, context: Context) => Outcome<WaitForTerminalExitResponse>
  /** Ends the command; its output and exit status can still be read. */
  readonly kill: (request: KillTerminalRequest, context: Context) => unknown
  /** Ends the command if it still runs, and forgets the id. */
  readonly release: (request: ReleaseTerminalRequest, context: Context) => unknown
  /** Ends and forgets all that was created in a session, which is over. */
  readonly end: (sessionId: string) => unknown
}
