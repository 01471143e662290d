// Tells about requests that are refused for the length of their text, without filling the log of whoever is sent many.

/** `requests` counts those that were refused since the last time, this one included. */
export type OnTooLong = (requestId: string, requests: number) => void

const quietMs = 60_000

/** Tells of the first request at once, and of those that follow with the next one after a minute. */
export function tellRarely(tell: OnTooLong | undefined, now: () => number = () => performance.now()): OnRefused {
  let toldAt = -Infinity
  let requests = 0
  return (requestId) => {
    requests += 1
    if (now() - toldAt < quietMs) return
    tell?.(requestId, requests)
    toldAt = now()
    requests = 0
  }
}

type OnRefused = (requestId: string) => void
