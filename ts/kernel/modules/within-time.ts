// How long the code of a module may keep a document from becoming active.

import { secondsText } from "../error.ts"

const loadMs = 30_000
/** One error for all: who loads a module again can tell that it still hangs. */
const loadedTooLate = new Error(
  `it was not loaded within ${secondsText(loadMs)}; an await at its top level, or in a file that it imports, does not end`,
)

/** What a module's file exports. Rejects when loading takes longer than 30 seconds. */
export const loadedInTime = <Value>(loading: Promise<Value>): Promise<Value> =>
  withinTime(loading, loadMs, loadedTooLate)

/** Rejects with `tooLate` after `limitMs`. Nothing else may keep the process alive meanwhile, so the timer does. */
export async function withinTime<Value>(work: Promise<Value>, limitMs: number, tooLate: Error): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, limitMs, tooLate)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
