import { expect, test } from "vitest"
import { estimate } from "../../../../bench/accuracy/figures/bootstrap.ts"
import { createRandom } from "../../../../bench/inference/random.ts"

const mean = (cases: readonly number[]): { mean: number } => ({
  mean: cases.reduce((sum, value) => sum + value, 0) / cases.length,
})

test("the same cases give the same interval", () => {
  const random = createRandom(7)
  const cases = Array.from({ length: 50 }, random)
  expect(estimate(cases, mean)).toEqual(estimate(cases, mean))
})

test("the interval of a share is about as wide as the theory says", () => {
  const cases = Array.from({ length: 400 }, (_, place) => (place % 4 === 0 ? 1 : 0))
  const { value, low, high } = estimate(cases, mean)["mean"] ?? { value: 0, low: 0, high: 0 }
  const half = 1.96 * Math.sqrt((0.25 * 0.75) / 400)
  expect(value).toBe(0.25)
  expect(Math.abs(0.25 - low - half)).toBeLessThan(0.006)
  expect(Math.abs(high - 0.25 - half)).toBeLessThan(0.006)
})

test("cases that agree leave no doubt", () => {
  expect(estimate([1, 1, 1], mean)).toEqual({ mean: { value: 1, low: 1, high: 1 } })
})

test("a figure that a set does not have is left out, and one that some resamples lack has an interval", () => {
  const share = (cases: readonly number[]): Readonly<Record<string, number>> => {
    const positive = cases.filter((value) => value > 0)
    return { absent: Number.NaN, positive: positive.filter((value) => value > 1).length / positive.length }
  }
  expect(estimate([0, 0, 2], share)).toEqual({ positive: { value: 1, low: 1, high: 1 } })
})
