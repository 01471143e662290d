// Long work in short turns, so that requests are not kept waiting.

/** Milliseconds of work before others have their turn. */
const turnMs = 5

export interface Turns {
  /** Whether this turn has taken its time. Cheap enough to be asked every few dozen microseconds. */
  over(): boolean
  /** Lets everything else run, then starts the next turn. */
  next(): Promise<void>
}

export function startTurns(): Turns {
  let start = performance.now()
  return {
    over: () => performance.now() - start > turnMs,
    async next() {
      await pause()
      start = performance.now()
    },
  }
}

/** Resolves after what is waiting has run. Browsers and edge hosts have no `setImmediate`; elsewhere it has no least delay. */
function pause(): Promise<void> {
  const { setImmediate } = globalThis as { readonly setImmediate?: (run: () => void) => unknown }
  return new Promise((resolve) => {
    if (setImmediate === undefined) setTimeout(resolve, 0)
    else setImmediate(resolve)
  })
}
