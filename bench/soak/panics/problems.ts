// What is not as it should be after minutes of panics.

import type { WorkerState } from "../worker/worker-state.ts"
import type { PanicFigures } from "./load.ts"

export type PanicMinute = WorkerState & PanicFigures

export interface PanicSoak {
  readonly table: readonly PanicMinute[]
  /** Minutes of the table in which memory gets its size. */
  readonly warmUp: number
  readonly deadlineMs: number
  /** Whether the worker answered after the load. */
  readonly isBack: boolean
}

export interface PanicVerdict {
  readonly figures: {
    readonly longestWaitMs: number
    readonly longestDownMs: number
    readonly restarts: number
    readonly warmMib: number
    readonly lastMib: number
    readonly grown: number
    readonly replies: Readonly<Record<string, number>>
  }
  readonly problems: readonly string[]
}

/** A busy machine may take so long to bring an answer that was given in time. */
const slackMs = 1000
/** Loading the models again takes a second or two on a free machine. */
const downMs = 30_000
const grownShare = 0.1
/** What a panic may lead to: the request failed, the model is not ready, or its queue was full or too slow afterwards. */
const expected = new Set(["200", "429", "500", "503", "504"])

export function findProblems({ table, warmUp, deadlineMs, isBack }: PanicSoak): PanicVerdict {
  const highest = (of: (minute: PanicMinute) => number): number => Math.max(...table.map(of))
  const replies: Record<string, number> = {}
  for (const minute of table)
    for (const [status, count] of Object.entries(minute.replies)) replies[status] = (replies[status] ?? 0) + count
  // Single minutes depend on whether the models were just being loaded, so quarters are compared.
  const later = table.slice(warmUp)
  const quarter = Math.max(1, Math.floor(later.length / 4))
  const warmMib = meanMib(later.slice(0, quarter))
  const lastMib = meanMib(later.slice(-quarter))
  const figures = {
    longestWaitMs: highest(({ longestWaitMs }) => longestWaitMs),
    longestDownMs: highest(({ longestDownMs }) => longestDownMs),
    restarts: table.at(-1)?.restarts ?? 0,
    warmMib,
    lastMib,
    grown: lastMib / warmMib - 1,
    replies,
  }
  const wrong = Object.entries(replies).filter(([status]) => !expected.has(status))
  const problems = [
    ...wrong.map(([status, count]) => `${count} replies were ${status}`),
    ...(figures.longestWaitMs > deadlineMs + slackMs
      ? [`a client waited for ${Math.round(figures.longestWaitMs)} ms, the deadline is ${deadlineMs} ms`]
      : []),
    ...(figures.longestDownMs > downMs
      ? [`/health was not 200 for ${Math.round(figures.longestDownMs)} ms, at most ${downMs} are allowed`]
      : []),
    ...(figures.restarts < table.length - 1
      ? [`the worker panicked ${figures.restarts} times in ${table.length} minutes`]
      : []),
    ...(figures.grown > grownShare ? [`resident memory grew by ${Math.round(figures.grown * 100)} %`] : []),
    ...(isBack ? [] : ["the worker does not answer after the load"]),
  ]
  return { figures, problems }
}

const meanMib = (minutes: readonly PanicMinute[]): number =>
  minutes.reduce((sum, { residentMib }) => sum + residentMib, 0) / minutes.length
