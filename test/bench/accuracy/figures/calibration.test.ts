import { expect, test } from "vitest"
import { binCount, binsOf, calibrationError } from "../../../../bench/accuracy/figures/calibration.ts"
import { createRandom } from "../../../../bench/inference/random.ts"

const stated = (probability: number, isRight: boolean): { probability: number; isRight: boolean } => ({
  probability,
  isRight,
})

test("who is right as often as stated has no error", () => {
  expect(calibrationError([stated(0.5, true), stated(0.5, false)])).toBe(0)
  expect(calibrationError([stated(1, true), stated(1, true)])).toBe(0)
})

test("errors of bins are weighed by their sizes", () => {
  // 0.9 and 0.92 share a bin: 0.91 stated, 1/2 right; 0.4 stands alone and is right.
  const error = calibrationError([stated(0.9, true), stated(0.92, false), stated(0.4, true)])
  expect(error).toBeCloseTo((2 / 3) * 0.41 + (1 / 3) * 0.6, 12)
})

test("bins are equally wide, hold every case once, and the last holds certainty", () => {
  const bins = binsOf([stated(0, false), stated(1, true), stated(0.999, true), stated(0.5, true)])
  expect(bins).toHaveLength(binCount)
  expect(bins.filter(({ count }) => count > 0).map(({ from, count }) => [Math.round(from * binCount), count])).toEqual([
    [0, 1],
    [7, 1],
    [14, 2],
  ])
})

test("the error agrees with sums over rows", () => {
  const random = createRandom(4)
  for (let round = 0; round < 50; round += 1) {
    const cases = Array.from({ length: 1 + Math.floor(random() * 60) }, () => stated(random(), random() < 0.6))
    const gaps = new Map<number, number>()
    for (const { probability, isRight } of cases) {
      const bin = Math.min(Math.floor(probability * 15), 14)
      gaps.set(bin, (gaps.get(bin) ?? 0) + probability - Number(isRight))
    }
    const naive = [...gaps.values()].reduce((sum, gap) => sum + Math.abs(gap), 0) / cases.length
    expect(calibrationError(cases)).toBeCloseTo(naive, 10)
  }
})
