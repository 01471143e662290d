// Long work in slices, so that other requests are served between them.

import { nextTurn } from "./turns.ts"

/** Work that says between its steps, each of which takes far less than a slice, that it could pause. */
export type Work<Result> = Generator<void, Result, void>

/** A slice ends behind the step in which this much time is over. Other requests wait as long at most, and a timer takes one more. */
const sliceMs = 5

/** Work on a text up to this length may begin at once: most of it takes less than a slice. */
const maxAtOnce = 65_536

/** Whether a text is so long that work on it should let others have their turns. */
export const isLong = (text: string): boolean => text.length > maxAtOnce

/** Does work at once: for what is short. */
export function finish<Result>(work: Work<Result>): Result {
  let step = work.next()
  while (step.done !== true) step = work.next()
  return step.value
}

/** Does long work in slices, and other work at once. */
export const doWork = <Result>(inTurns: boolean | undefined, work: Work<Result>): Result | Promise<Result> =>
  inTurns === true ? finishInTurns(work) : finish(work)

/**
 * Returns to the event loop before each slice; `check` may throw there, and is told how long the work has taken. In hosts whose
 * clock stands still while code runs the work is one slice.
 */
export async function finishInTurns<Result>(
  work: Work<Result>,
  check: (workedMs: number) => void = () => {},
): Promise<Result> {
  for (let workedMs = 0; ;) {
    await nextTurn()
    check(workedMs)
    const startedAt = performance.now()
    const step = slice(work)
    if (step.done === true) return step.value
    workedMs += performance.now() - startedAt
  }
}

/** Does work for one slice. Returns its last step. */
export function slice<Result>(work: Work<Result>): IteratorResult<void, Result> {
  let step = work.next()
  if (step.done === true) return step
  const startedAt = performance.now()
  while (step.done !== true && performance.now() - startedAt < sliceMs) step = work.next()
  return step
}

/** For long work that awaits: what it returns lets others have their turns when a slice has passed since the last one. */
export function createPause(): () => Promise<void> {
  let startedAt = performance.now()
  return async () => {
    if (performance.now() - startedAt < sliceMs) return
    await nextTurn()
    startedAt = performance.now()
  }
}
