// How long a piece of work keeps the event loop to itself.

/** Does work while a timer ticks; the longest time between two ticks. */
export async function longestGap<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly gapMs: number }> {
  let last = performance.now()
  let gapMs = 0
  const tick = (): void => {
    const now = performance.now()
    gapMs = Math.max(gapMs, now - last)
    last = now
  }
  const timer = setInterval(tick, 1)
  try {
    return { result: await work(), gapMs: (tick(), gapMs) }
  } finally {
    clearInterval(timer)
  }
}
