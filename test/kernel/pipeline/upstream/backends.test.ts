import { describe, expect, test } from "vitest"
import { pickBackend } from "../../../../ts/kernel/pipeline/upstream/backends.ts"
import type { ModelTarget } from "../../../../ts/kernel/types/plan.ts"
import { createBackend, createTarget } from "../../../fakes/plan.ts"

const targetOf = (...weights: readonly number[]): ModelTarget =>
  createTarget("m", { backends: weights.map((weight, index) => createBackend(`b${index}`, weight)) })
const pick = (target: ModelTarget, count: number): readonly string[] =>
  Array.from({ length: count }, () => pickBackend(target).name)
const countsOf = (names: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, each]) => [name, each.length]))

test("a single backend is always picked", () => expect(pick(targetOf(7), 3)).toEqual(["b0", "b0", "b0"]))

test("equal weights take turns", () => expect(pick(targetOf(1, 1, 1), 6)).toEqual(["b0", "b1", "b2", "b0", "b1", "b2"]))

test.each([
  [[1, 1], 1000],
  [[5, 1], 600],
  [[1, 2, 3], 600],
  [[100, 1, 10], 11_100],
  [[3, 3, 2, 1], 900],
  [[1, 1000], 10_010],
])("weights %j share %i picks in proportion", (weights, count) => {
  const counts = countsOf(pick(targetOf(...weights), count))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  for (const [index, weight] of weights.entries())
    expect(Math.abs((counts[`b${index}`] ?? 0) - (count * weight) / total)).toBeLessThanOrEqual(2)
})

test("picks are spread: at no moment is a backend more than one pick ahead of its share", () => {
  const weights = [5, 2, 1]
  const target = targetOf(...weights)
  const seen: Record<string, number> = {}
  for (let round = 1; round <= 800; round++) {
    const { name } = pickBackend(target)
    seen[name] = (seen[name] ?? 0) + 1
    for (const [index, weight] of weights.entries())
      expect(Math.abs((seen[`b${index}`] ?? 0) - (round * weight) / 8)).toBeLessThanOrEqual(1.5)
  }
})

describe("turns", () => {
  test("belong to the target, so that a new configuration starts anew", () => {
    const first = targetOf(1, 1)
    expect(pick(first, 1)).toEqual(["b0"])
    expect(pick(targetOf(1, 1), 1)).toEqual(["b0"])
    expect(pick(first, 1)).toEqual(["b1"])
  })

  test("stay exact over a million picks", () => {
    const counts = countsOf(pick(targetOf(3, 7), 1_000_000))
    expect(Math.abs((counts["b0"] ?? 0) - 300_000)).toBeLessThanOrEqual(3)
  })
})
