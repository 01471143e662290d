// The signals that end a service: asked politely once, obeyed at once when asked again.

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** A terminal sends its signal to the whole group, and a launcher may pass it on as well: that is one wish, not two. */
const sameWishMs = 1000

/** Calls `stop` at the first signal; another one, a moment after, ends the process. */
export function onStopSignal(stop: () => void): void {
  let askedAt: number | undefined
  for (const signal of stopSignals)
    process.on(signal, () => {
      if (askedAt !== undefined && performance.now() - askedAt < sameWishMs) return
      if (askedAt !== undefined) process.exit(1)
      askedAt = performance.now()
      stop()
    })
}
