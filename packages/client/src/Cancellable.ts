/** Work for a request that the peer may withdraw. Called by whatever answers requests of the agent. */
import { RequestError } from "@agentclientprotocol/sdk"

/**
 * Settles with the work or, with error -32800, at the abort, whichever is first; what the work does later is dropped
 * (CLIENT-2). Work is not begun for a request that was withdrawn before.
 */
export const run = <A>(signal: AbortSignal, work: () => A | PromiseLike<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    const cancelled = () => reject(RequestError.requestCancelled())
    if (signal.aborted) return cancelled()
    signal.addEventListener("abort", cancelled, { once: true })
    Promise.resolve()
      .then(() => {
        signal.throwIfAborted()
        return work()
      })
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", cancelled))
  })
