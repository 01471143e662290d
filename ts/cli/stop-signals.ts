// The signals that end a service: asked politely once, obeyed at once when asked again.

import { constants } from "node:os"

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** A terminal sends its signal to the whole group, and a launcher may pass it on as well: that is one wish, not two. */
const sameWishMs = 1000

export type StopAction = (signal: (typeof stopSignals)[number]) => void

export interface StopOptions {
  /** Called at another signal, a moment after; the process ends there when left out. */
  readonly again?: StopAction
  /** Every stop signal when left out; a service that reads its configuration at SIGHUP leaves that one out. */
  readonly signals?: readonly (typeof stopSignals)[number][]
}

/** Ends the process with the exit code that shells, systemd and containers read as "stopped by this signal". */
export function exitBySignal(signal: (typeof stopSignals)[number]): never {
  process.exit(128 + constants.signals[signal])
}

/** Calls `stop` at the first signal. */
export function onStopSignal(stop: StopAction, options: StopOptions = {}): void {
  const { again = exitBySignal, signals = stopSignals } = options
  let askedAt: number | undefined
  for (const signal of signals)
    process.on(signal, () => {
      if (askedAt !== undefined && performance.now() - askedAt < sameWishMs) return
      const wished = askedAt === undefined ? stop : again
      askedAt = performance.now()
      wished(signal)
    })
}
