// How many bytes of request bodies a listener keeps in memory, counted in one place.

import { RtrError } from "../error.ts"

/** Bytes of request bodies that one listener keeps in memory; a parsed body takes a few times as much. */
export const maxHeldBytes = 256 * 1024 * 1024

/** Shared by all requests of one listener, also by those of different generations. */
export interface HeldMemory {
  /** Throws `overloaded` when there is no room. What was taken has to be given back. */
  take(bytes: number): void
  giveBack(bytes: number): void
}

export function createHeldMemory(maxBytes: number = maxHeldBytes): HeldMemory {
  let held = 0
  return {
    take(bytes) {
      if (held + bytes > maxBytes)
        throw new RtrError("overloaded", "The router holds too many large requests at the moment", {
          retryAfterSeconds: 1,
        })
      held += bytes
    },
    giveBack(bytes) {
      held -= bytes
    },
  }
}
