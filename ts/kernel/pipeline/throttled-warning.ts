// Warns of requests that are refused for the length of their text, without filling the log of whoever is sent many.

/** `requests` counts those that were refused since the last warning, this one included. */
export type OnTooLong = (requestId: string, requests: number) => void

const quietMs = 60_000

/** Warns of the first request at once, and of those that follow with the next one after a minute. */
export function createThrottledWarning(
  warn: OnTooLong | undefined,
  now: () => number = () => performance.now(),
): (requestId: string) => void {
  let warnedAt = -Infinity
  let requests = 0
  return (requestId) => {
    requests += 1
    if (now() - warnedAt < quietMs) return
    warn?.(requestId, requests)
    warnedAt = now()
    requests = 0
  }
}
