// Work that goes on after its request was answered: who runs it, and how it is stopped.

import { RtrError } from "../../../../kernel/index.ts"

/** Each holds its request in memory and a call to a backend. */
const maxJobs = 100
const maxJobsOfOwner = 20
/** How often the others hear that a job runs, and the job hears that somebody has stopped it. */
export const beatMs = 5000

export interface Job {
  readonly id: string
  readonly owner: string
  /** Told every few seconds, for as long as it runs. */
  readonly beat: () => Promise<void>
}

/** The jobs of this process, whatever generation began them. */
export interface Jobs {
  /** Runs the work, which gets a signal that stops it. Throws `overloaded` where there are too many. */
  start(job: Job, work: (signal: AbortSignal) => Promise<void>): void
  /** Whether it runs in this process. */
  has(id: string): boolean
  stop(id: string): void
}

export function createJobs(): Jobs {
  const running = new Map<string, { readonly job: Job; readonly controller: AbortController }>()
  let timer: ReturnType<typeof setInterval> | undefined
  const beatAll = (): void => {
    for (const { job } of running.values()) void job.beat()
  }
  const end = (id: string): void => {
    running.delete(id)
    if (running.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    start(job, work) {
      const own = [...running.values()].filter((each) => each.job.owner === job.owner).length
      if (running.size >= maxJobs || own >= maxJobsOfOwner)
        throw new RtrError(
          "overloaded",
          `Cannot run the response in the background: ${own >= maxJobsOfOwner ? `${maxJobsOfOwner} of this API key` : maxJobs} run already; wait until one of them has ended`,
          { retryAfterSeconds: 5 },
        )
      const controller = new AbortController()
      running.set(job.id, { job, controller })
      timer ??= setInterval(beatAll, beatMs)
      void work(controller.signal).finally(() => end(job.id))
    },
    has: (id) => running.has(id),
    stop: (id) => running.get(id)?.controller.abort(),
  }
}
