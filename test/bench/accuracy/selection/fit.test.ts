import { expect, test } from "vitest"
import { fitGroups, fitLinear, fitNetwork, hinge, logistic } from "../../../../bench/accuracy/selection/fit.ts"

/** The first output is right where the first number is positive, the second where both have the same sign. */
const rows = Array.from({ length: 400 }, (_, row) => [Math.sin(row * 1.7), Math.cos(row * 2.3)] as const)
const training = {
  vectors: rows.map((row) => Float32Array.from(row)),
  right: rows.map(([a, b]) => [a > 0, a > 0 === b > 0]),
}
const share = (predict: (row: number) => boolean, output: number): number =>
  rows.filter((_, row) => predict(row) === training.right[row]?.[output]).length / rows.length

test.each([
  ["chances", logistic],
  ["margins", hinge],
])("a linear layer of %s learns what a line divides", (_, slope) => {
  const { weight, bias } = fitLinear(training, slope, 1e-4)
  const score = (output: number) => (row: number) =>
    (rows[row]?.[0] ?? 0) * (weight[output]?.[0] ?? 0) +
      (rows[row]?.[1] ?? 0) * (weight[output]?.[1] ?? 0) +
      (bias[output] ?? 0) >
    0
  expect(share(score(0), 0)).toBeGreaterThan(0.95)
  expect(share(score(1), 1)).toBeLessThan(0.7)
})

test("a network learns what no line divides", () => {
  const { hidden, output } = fitNetwork(training, 0)
  const predict = (row: number): boolean => {
    const active = hidden.weight.map((weights, unit) =>
      Math.max(
        0,
        (rows[row] ?? []).reduce((sum, value, index) => sum + value * (weights[index] ?? 0), hidden.bias[unit] ?? 0),
      ),
    )
    return active.reduce((sum, value, unit) => sum + value * (output.weight[1]?.[unit] ?? 0), output.bias[1] ?? 0) > 0.5
  }
  expect(share(predict, 1)).toBeGreaterThan(0.8)
})

test("groups are what lies together", () => {
  const near = (x: number) => Float32Array.of(x, 0)
  const { centres, group } = fitGroups([near(0), near(0.1), near(5), near(5.1)], 2)
  expect(group[0]).toBe(group[1])
  expect(group[2]).toBe(group[3])
  expect(centres.map(([x = 0]) => x.toFixed(2)).toSorted()).toEqual(["0.05", "5.05"])
})
