// Counts who uses a worker: the first user starts it, the last one stops it.

import type { Worker } from "./worker.ts"

/** Two needs with the same key are met by one worker. */
interface Keyed {
  readonly key: string
}

export interface SharedWorkers {
  /** One worker for each need, in their order. When one cannot be started, none is taken and the error is thrown. */
  takeAll<Need extends Keyed>(needs: readonly Need[], start: (need: Need) => Worker): readonly Worker[]
  /** Resolves when those that nobody else uses have stopped. */
  giveBack(needs: readonly Keyed[]): Promise<void>
  /** Resolves when everything that was given back has stopped. */
  allStopped(): Promise<void>
}

export function createSharedWorkers(): SharedWorkers {
  const used = new Map<string, { readonly worker: Worker; users: number }>()
  const stopping = new Set<Promise<void>>()

  function giveBack(needs: readonly Keyed[]): Promise<unknown> {
    return Promise.all(
      needs.map(({ key }) => {
        const entry = used.get(key)
        if (entry === undefined) return undefined
        entry.users -= 1
        if (entry.users > 0) return undefined
        // A later need of the same key gets a new worker; this one is ending.
        used.delete(key)
        const stopped = entry.worker.stop().finally(() => stopping.delete(stopped))
        stopping.add(stopped)
        return stopped
      }),
    )
  }

  return {
    takeAll(needs, start) {
      const taken: Keyed[] = []
      try {
        return needs.map((need) => {
          const entry = used.get(need.key) ?? { worker: start(need), users: 0 }
          entry.users += 1
          used.set(need.key, entry)
          taken.push(need)
          return entry.worker
        })
      } catch (error) {
        void giveBack(taken)
        throw error
      }
    },
    giveBack: async (needs) => void (await giveBack(needs)),
    allStopped: async () => void (await Promise.all(stopping)),
  }
}
