import { expect, test } from "vitest"
import {
  bounded,
  faded,
  noExperience,
  withTelemetry,
  withVerdict,
} from "../../../../ts/plugins/_shared/learning/experience.ts"

const day = 86_400_000
const known = { ...noExperience, good: 8, underpowered: 4, overprovisioned: 2, failed: 16, at: 1000 }

test("verdicts count half after three days, failures after fifteen minutes", () => {
  expect(faded(known, 1000)).toBe(known)
  expect(faded(known, 1000 + 3 * day)).toMatchObject({ good: 4, underpowered: 2, overprovisioned: 1 })
  expect(faded(known, 1000 + 15 * 60_000).failed).toBe(8)
  // A clock that was set back does not make anything count more.
  expect(faded(known, 0)).toBe(known)
})

test("a verdict counts once, and all of them count no more than a hundred", () => {
  const once = withVerdict(noExperience, "good_fit", 5)
  expect(once).toEqual({ ...noExperience, good: 1, at: 5 })
  expect(withVerdict(once, "overprovisioned", 5)).toMatchObject({ good: 1, overprovisioned: 1 })
  // 100 of one kind and one of another: each is scaled by 100 / 101.
  expect(bounded({ ...noExperience, good: 100, underpowered: 1 })).toMatchObject({
    good: expect.closeTo(99.0099, 4),
    underpowered: expect.closeTo(0.9901, 4),
  })
})

test("averages take a fifth of the newest value, and a call that succeeds takes a tenth of the failures", () => {
  const first = withTelemetry(noExperience, { failed: false, latency: 2 }, 5)
  expect(first).toEqual({ ...noExperience, latency: 2, at: 5 })
  // 0.8 · 2 + 0.2 · 1.
  expect(withTelemetry(first, { failed: false, latency: 1, cacheHit: 0.5 }, 5)).toEqual({
    ...noExperience,
    latency: expect.closeTo(1.8, 12),
    cacheHit: 0.5,
    at: 5,
  })
  const failed = withTelemetry(withTelemetry(first, { failed: true }, 5), { failed: true }, 5)
  expect([failed.failed, failed.latency]).toEqual([2, 2])
  expect(withTelemetry(failed, { failed: false }, 5).failed).toBeCloseTo(1.8, 12)
})
