// Work on texts of clients, in slices where a text is long.

import { RtrError } from "../error.ts"
import { finishInTurns, isLong, slice, type Work } from "../host/work.ts"
import type { MaybePromise } from "../types/module-base.ts"

/** Work that takes longer has met what makes it endless; nobody waits for it. */
const maxWorkMs = 2000

/**
 * Does work on a text: that on a short text at once as far as one slice goes, that on a long one in slices from the
 * beginning. Throws what the work throws, and what `check` throws between slices, when nobody waits any more.
 */
export function workOn<Result>(text: string, work: Work<Result>, check?: () => void): MaybePromise<Result> {
  if (isLong(text)) return finishInTime(work, check)
  const step = slice(work)
  return step.done === true ? step.value : finishInTime(work, check)
}

const finishInTime = <Result>(work: Work<Result>, check?: () => void): Promise<Result> =>
  finishInTurns(work, (workedMs) => {
    if (workedMs >= maxWorkMs)
      throw new RtrError("deadline_exceeded", `Cannot read the text: it takes more than ${maxWorkMs} ms of work`)
    check?.()
  })
