// How long to wait before the next attempt.

import { RtrError } from "../../../error.ts"
import type { CancelSignal } from "../../../types/cancel-signal.ts"

const baseMs = 25
const maxMs = 250

/** Full jitter: clients that failed together come back one by one. `random` gives 0 to 1. */
export const backOffMs = (retry: number, random: () => number): number =>
  random() * Math.min(baseMs * 2 ** retry, maxMs)

/** Milliseconds of a `Retry-After` header, which has seconds or a date; undefined for anything else. */
export function retryAfterMs(value: string | undefined, unixMs: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  // A date of HTTP begins with a weekday; other texts that the host may read as a date are none.
  const date = /^[A-Z][a-z]{2}, /.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - unixMs)
}

/** Resolves after the time; rejects when the client leaves before. */
export function waitFor(ms: number, client: CancelSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onLeft = (): void => {
      clearTimeout(timer)
      reject(new RtrError("client_closed_request", "The client left before the next attempt"))
    }
    const timer = setTimeout(() => {
      client.removeEventListener("abort", onLeft)
      resolve()
    }, ms)
    if (client.aborted) onLeft()
    else client.addEventListener("abort", onLeft, { once: true })
  })
}
