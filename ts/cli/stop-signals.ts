// The signals that end a service: asked politely once, obeyed at once when asked again.

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** A terminal sends its signal to the whole group, and a launcher may pass it on as well: that is one wish, not two. */
const sameWishMs = 1000

/** Calls `stop` at the first signal, and `again` at another one, a moment after: without it, the process ends there. */
export function onStopSignal(stop: () => void, again: () => void = () => process.exit(1)): void {
  let askedAt: number | undefined
  for (const signal of stopSignals)
    process.on(signal, () => {
      if (askedAt !== undefined && performance.now() - askedAt < sameWishMs) return
      const wished = askedAt === undefined ? stop : again
      askedAt = performance.now()
      wished()
    })
}
