// What is known of a model from its outcomes: counts that fade, and averages of what calls told.

export interface Experience {
  /** How often it was right for the task, too weak, stronger than needed; calls that failed. Numbers that fade are no whole ones. */
  readonly good: number
  readonly underpowered: number
  readonly overprovisioned: number
  readonly failed: number
  /** Seconds to the first byte, share of the prompt that came from a cache, price of the prompt beside one without a cache. */
  readonly latency: number | undefined
  readonly cacheHit: number | undefined
  readonly inputCost: number | undefined
  /** Milliseconds since 1970 of the last change. */
  readonly at: number
}

export const verdicts = ["good_fit", "underpowered", "overprovisioned", "failed"] as const
export type Verdict = (typeof verdicts)[number]

/** What one call told; parts that it did not tell are left out. */
export interface Telemetry {
  readonly latency?: number | undefined
  readonly cacheHit?: number | undefined
  readonly inputCost?: number | undefined
  readonly failed: boolean
}

/** A verdict counts half after this time: what was wrong does not stay. */
const verdictHalfLifeMs = 3 * 86_400_000
/** An outage is over sooner than an opinion. */
const failureHalfLifeMs = 15 * 60_000
/** All verdicts together count no more than so many, so that a hundred of another kind outweigh them. */
const mostEvidence = 100
/** Share of failures that a call leaves which did not fail. */
const failuresLeft = 0.9
/** Weight of the newest value in an average. */
const newestShare = 0.2

export const noExperience: Experience = Object.freeze({
  good: 0,
  underpowered: 0,
  overprovisioned: 0,
  failed: 0,
  latency: undefined,
  cacheHit: undefined,
  inputCost: undefined,
  at: 0,
})

/** The same at a later time. */
export function faded(experience: Experience, now: number): Experience {
  const passed = Math.max(0, now - experience.at)
  if (passed === 0) return experience
  const verdict = 0.5 ** (passed / verdictHalfLifeMs)
  return {
    ...experience,
    good: experience.good * verdict,
    underpowered: experience.underpowered * verdict,
    overprovisioned: experience.overprovisioned * verdict,
    failed: experience.failed * 0.5 ** (passed / failureHalfLifeMs),
    at: now,
  }
}

export function withVerdict(before: Experience, verdict: Verdict, now: number): Experience {
  const { good, underpowered, overprovisioned, failed, ...rest } = faded(before, now)
  return bounded({
    ...rest,
    at: now,
    good: good + Number(verdict === "good_fit"),
    underpowered: underpowered + Number(verdict === "underpowered"),
    overprovisioned: overprovisioned + Number(verdict === "overprovisioned"),
    failed: failed + Number(verdict === "failed"),
  })
}

/** A call that succeeds says nothing about the quality of its answer; it shows that the model can be reached. */
export function withTelemetry(before: Experience, told: Telemetry, now: number): Experience {
  const { latency, cacheHit, inputCost, failed, ...rest } = faded(before, now)
  return bounded({
    ...rest,
    at: now,
    failed: told.failed ? failed + 1 : failed * failuresLeft,
    latency: average(latency, told.latency),
    cacheHit: average(cacheHit, told.cacheHit),
    inputCost: average(inputCost, told.inputCost),
  })
}

const average = (before: number | undefined, newest: number | undefined): number | undefined =>
  newest === undefined ? before : before === undefined ? newest : before * (1 - newestShare) + newest * newestShare

export function bounded(experience: Experience): Experience {
  const { good, underpowered, overprovisioned, failed } = experience
  const share = mostEvidence / (good + underpowered + overprovisioned + failed)
  if (share >= 1) return experience
  return {
    ...experience,
    good: good * share,
    underpowered: underpowered * share,
    overprovisioned: overprovisioned * share,
    failed: failed * share,
  }
}
