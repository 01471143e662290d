// Whether a backend is left out: after too many failures for a time, then on probation until a call of it succeeds.

import type { PlannedEjection } from "../../../types/plan.ts"
import { createRecentCount } from "./recent-count.ts"

const maxEjectionMs = 300_000
const rateWindowMs = 30_000
/** A share of fewer calls says nothing. */
const fewestCalls = 10

export interface BackendHealth {
  /** `out` gets calls only where all are out; `probe` gets one at a time. */
  readonly state: () => "in" | "out" | "probe"
  /** When the ejection ends; the earliest one is the least bad. */
  readonly until: () => number
  /** Begins a call. What it returns is told how the call ended, and says whether the backend is ejected for it. */
  begin(): (end: CallEnd) => boolean
}

/** `neither` is a call that says nothing about the backend. */
export type CallEnd = "good" | "failed" | "neither"

/** `mayEject` says whether another backend may be left out. */
export function createBackendHealth(
  { consecutive, failureShare, baseMs, probes }: PlannedEjection,
  now: () => number,
  mayEject: () => boolean,
): BackendHealth {
  const calls = createRecentCount(rateWindowMs, now)
  const failures = createRecentCount(rateWindowMs, now)
  let inARow = 0
  let ejections = 0
  let until = 0
  let returnedAt = 0
  let probing = 0
  const state = (): "in" | "out" | "probe" =>
    until === 0 ? "in" : now() < until || probing >= probes ? "out" : "probe"
  const eject = (): boolean => {
    ejections = now() - returnedAt > maxEjectionMs ? 1 : ejections + 1
    until = now() + Math.min(baseMs * ejections, maxEjectionMs)
    inARow = 0
    return true
  }
  const isTooBad = (): boolean =>
    (consecutive !== undefined && inARow >= consecutive) ||
    (failureShare !== undefined &&
      calls.total() >= fewestCalls &&
      failures.total() >= Math.max(1, calls.total() * failureShare))
  return {
    state,
    until: () => until,
    begin() {
      const isProbe = state() === "probe"
      if (isProbe) probing += 1
      return (end) => {
        if (isProbe) probing -= 1
        if (end === "neither") return false
        if (until > 0) {
          // Calls that began before the ejection tell what is known.
          if (!isProbe) return false
          if (end === "failed") return eject()
          until = 0
          returnedAt = now()
          return false
        }
        calls.add()
        inARow = end === "failed" ? inARow + 1 : 0
        if (end === "failed") failures.add()
        return end === "failed" && isTooBad() && mayEject() && eject()
      }
    },
  }
}
