/** Signals as Effects. Used by ClientCommand; while nobody waits for a signal, it does what it does by default. */
import { Effect, Queue } from "effect"

/** Waits for the signals as they come: one `Queue.take` a signal, from the moment of the call until the scope closes. */
export const listen = <const Signal extends NodeJS.Signals>(...signals: ReadonlyArray<Signal>) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const received = yield* Queue.unbounded<Signal>()
      const listeners = signals.map((signal) => [signal, () => Queue.offerUnsafe(received, signal)] as const)
      for (const [signal, listener] of listeners) process.on(signal, listener)
      return { received, listeners }
    }),
    ({ listeners }) =>
      Effect.sync(() => {
        for (const [signal, listener] of listeners) process.off(signal, listener)
      })
  ).pipe(Effect.map(({ received }) => received))
