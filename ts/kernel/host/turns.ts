// Turns of the event loop for long work, so that other requests are served between its parts.

import { forgetsRequests } from "./forgets-requests.ts"

let lastTurn: Promise<void> = Promise.resolve()

/** A later turn of the event loop. Each waiter gets one of its own: the parts of a hundred requests in one turn would hold up all others. */
export function nextTurn(): Promise<void> {
  if (forgetsRequests) return timer()
  lastTurn = lastTurn.then(timer)
  return lastTurn
}

const timer = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))
