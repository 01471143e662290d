// Long work in slices, so that other requests are served between them.

import { RtrError } from "../error.ts"
import { nextTurn } from "../host/turns.ts"
import type { MaybePromise } from "../types/module-base.ts"

/** Work that says between its steps, each of which takes far less than a slice, that it could pause. */
export type Work<Result> = Generator<void, Result, void>

/** A slice ends behind the step in which this much time is over. Other requests wait as long at most, and a timer takes one more. */
const sliceMs = 5

/** Work on a text up to this length begins at once: most of it takes less than a slice. */
const maxAtOnce = 65_536

/** Work that takes longer has met what makes it endless; nobody waits for it. */
const maxWorkMs = 2000

/**
 * Does work on a text: that on a short text at once as far as one slice goes, that on a long one in slices from the
 * beginning. Throws what the work throws, and what `check` throws between slices, when nobody waits any more.
 */
export function workOn<Result>(text: string, work: Work<Result>, check?: () => void): MaybePromise<Result> {
  if (isLong(text)) return finishInSlices(work, check)
  const step = slice(work)
  return step.done === true ? step.value : finishInSlices(work, check)
}

/** Whether a text is so long that work on it should let others have their turns. */
export const isLong = (text: string): boolean => text.length > maxAtOnce

/** Does work in slices from the beginning, however long it takes. */
export const finishInTurns = <Result>(work: Work<Result>): Promise<Result> =>
  finishInSlices(work, undefined, Number.POSITIVE_INFINITY)

/** For long work that awaits: what it returns lets others have their turns when a slice has passed since the last one. */
export function createPause(): () => Promise<void> {
  let startedAt = performance.now()
  return async () => {
    if (performance.now() - startedAt < sliceMs) return
    await nextTurn()
    startedAt = performance.now()
  }
}

/** Does work at once: for short texts. */
export function finish<Result>(work: Work<Result>): Result {
  let step = work.next()
  while (step.done !== true) step = work.next()
  return step.value
}

/** Returns to the event loop before each slice. In hosts whose clock stands still while code runs the work is one slice. */
async function finishInSlices<Result>(work: Work<Result>, check?: () => void, mostMs = maxWorkMs): Promise<Result> {
  for (let workedMs = 0; workedMs < mostMs;) {
    await nextTurn()
    check?.()
    const startedAt = performance.now()
    const step = slice(work)
    if (step.done === true) return step.value
    workedMs += performance.now() - startedAt
  }
  throw new RtrError("deadline_exceeded", `Cannot read the text: it takes more than ${mostMs} ms of work`)
}

/** The last step of a slice. */
function slice<Result>(work: Work<Result>): IteratorResult<void, Result> {
  let step = work.next()
  if (step.done === true) return step
  const startedAt = performance.now()
  while (step.done !== true && performance.now() - startedAt < sliceMs) step = work.next()
  return step
}
