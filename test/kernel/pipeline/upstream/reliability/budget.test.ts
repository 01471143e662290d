import { expect, test } from "vitest"
import { createBudget } from "../../../../../ts/kernel/pipeline/upstream/reliability/budget.ts"

test("further attempts are a share of the requests of the last ten seconds, and three in any case", () => {
  const clock = { ms: 0 }
  const budget = createBudget(0.2, () => clock.ms)
  const taken = (most: number): number => Array.from({ length: most }, () => budget.take()).filter(Boolean).length
  expect(taken(10)).toBe(3)
  for (let request = 0; request < 500; request++) budget.request()
  expect(taken(500)).toBe(97)
  clock.ms = 5000
  expect(taken(1)).toBe(0)
  clock.ms = 10_000
  // Both have been forgotten.
  expect(taken(10)).toBe(3)
  clock.ms = 200_000
  expect(taken(10)).toBe(3)
})

test("a share of nothing is nothing", () => {
  const budget = createBudget(0, () => 0)
  for (let request = 0; request < 500; request++) budget.request()
  expect(budget.take()).toBe(false)
})
