// How much memory the requests and replies of a process hold, counted in one place, and each client's share of it.

import { RtrError } from "../error.ts"
import { forgetsRequests } from "../host/forgets-requests.ts"

/** What all requests hold together on a host that does not say how much memory it has. */
export const maxHeldBytes = 256 * 1024 * 1024

/** The part that a client may hold whatever the others hold. As much stays free for clients that hold less. */
const share = 1 / 4

/** Shared by all listeners of a process and all generations. A client is a key, a token or an address; undefined where it is not known. */
export interface HeldMemory {
  /** The most that one request may hold. */
  readonly largest: number
  /** Held now. */
  readonly held: number
  /** The most that was held since the last call. */
  peak(): number
  /** Throws `unavailable` when there is no room, and `overloaded` when there is none for this client. What was taken has to be given back. */
  take(bytes: number, client?: unknown): void
  giveBack(bytes: number, client?: unknown): void
}

export function createHeldMemory(maxBytes: number = maxHeldBytes): HeldMemory {
  const ofClient = maxBytes * share
  const largest = maxBytes - ofClient
  if (forgetsRequests) return { largest, held: 0, peak: () => 0, take() {}, giveBack() {} }
  const clients = new Map<unknown, number>()
  let held = 0
  let peak = 0
  return {
    largest,
    get held() {
      return held
    },
    peak() {
      const most = peak
      peak = held
      return most
    },
    take(bytes, client) {
      const own = (clients.get(client) ?? 0) + bytes
      if (held + bytes > maxBytes) throw full("unavailable", "The router holds")
      // The last part is for clients that hold little, so that one client alone leaves room for the others.
      if (own > ofClient && held + bytes > largest) throw full("overloaded", "This client holds")
      held += bytes
      if (held > peak) peak = held
      clients.set(client, own)
    },
    giveBack(bytes, client) {
      held -= bytes
      const own = (clients.get(client) ?? 0) - bytes
      if (own > 0) clients.set(client, own)
      else clients.delete(client)
    },
  }
}

const full = (code: "unavailable" | "overloaded", who: string): RtrError =>
  new RtrError(code, `${who} too many large requests at the moment; try again in a second`, { retryAfterSeconds: 1 })
