// Long work in slices, so that other requests are served between them.

import type { MaybePromise } from "../types/module-base.ts"

/** Work that says between its steps, each of which takes far less than a slice, that it could pause. */
export type Work<Result> = Generator<void, Result, void>

/** A slice ends behind the step in which this much time is over. Other requests wait as long at most, and a timer takes one more. */
const sliceMs = 5

/** Work on a text up to this length takes less than a millisecond or so. */
const maxAtOnce = 8192

/**
 * Does work on a text: at once where the text is short, in slices where it is long. Throws what the work throws, and what
 * `check` throws between slices, when nobody waits any more.
 */
export function workOn<Result>(text: string, work: Work<Result>, check?: () => void): MaybePromise<Result> {
  return text.length > maxAtOnce ? finishInSlices(work, check) : finish(work)
}

/** Does work at once: for short texts. */
export function finish<Result>(work: Work<Result>): Result {
  let step = work.next()
  while (step.done !== true) step = work.next()
  return step.value
}

/**
 * Does work in slices and returns to the event loop before each of them. In hosts whose clock stands still while code runs
 * it is one slice.
 */
async function finishInSlices<Result>(work: Work<Result>, check?: () => void): Promise<Result> {
  for (;;) {
    await nextTurn()
    check?.()
    const startedAt = performance.now()
    do {
      const step = work.next()
      if (step.done === true) return step.value
    } while (performance.now() - startedAt < sliceMs)
  }
}

let lastTurn: Promise<void> = Promise.resolve()

/** One turn of the event loop for each that waits: slices of a hundred requests in one turn would be a long one. */
function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setTimeout(resolve, 0)))
  return lastTurn
}
