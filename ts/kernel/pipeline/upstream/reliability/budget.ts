// How many further attempts a model may cause: a share of its requests, so that an outage does not multiply the load.

import { createRecentCount } from "./recent-count.ts"

const windowMs = 10_000
/** So many are allowed in any case: a model with little traffic has no share to speak of. */
const smallestBudget = 3

export interface Budget {
  /** A client's request begins. */
  request(): void
  /** Takes one further attempt; false when there is none left. */
  take(): boolean
}

/** `share` is that of the requests of the last ten seconds. Nothing is allowed with share 0. */
export function createBudget(share: number, now: () => number): Budget {
  const requests = createRecentCount(windowMs, now)
  const taken = createRecentCount(windowMs, now)
  return {
    request: () => requests.add(),
    take() {
      if (share === 0 || taken.total() >= Math.max(smallestBudget, Math.floor(requests.total() * share))) return false
      taken.add()
      return true
    },
  }
}
