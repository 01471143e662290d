import { expect, test } from "vitest"
import {
  areaUnderCurve,
  rankingFigures,
  rankingFiguresBySet,
  recallAtFalsePositives,
} from "../../../../bench/accuracy/figures/ranking.ts"
import { createRandom } from "../../../../bench/inference/random.ts"

test("the area under the curve is the share of pairs in the right order, equal ones counting half", () => {
  expect(areaUnderCurve([0.9, 0.8], [0.1, 0.2])).toBe(1)
  expect(areaUnderCurve([0.1], [0.9])).toBe(0)
  expect(areaUnderCurve([0.5, 0.5], [0.5, 0.5, 0.5])).toBe(0.5)
  expect(areaUnderCurve([0.9, 0.4], [0.4, 0.1])).toBe(0.875)
})

test("the area agrees with a count of all pairs", () => {
  const random = createRandom(2)
  // Few different scores, so that many are equal.
  const scores = (): readonly number[] =>
    Array.from({ length: 1 + Math.floor(random() * 30) }, () => Math.floor(random() * 8) / 8)
  for (let round = 0; round < 100; round += 1) {
    const [positives, negatives] = [scores(), scores()]
    const won = positives.flatMap((positive) =>
      negatives.map((negative) => (positive > negative ? 1 : positive === negative ? 0.5 : 0)),
    )
    const naive = won.reduce<number>((sum, value) => sum + value, 0) / won.length
    expect(areaUnderCurve(positives, negatives)).toBeCloseTo(naive, 10)
  }
})

test("the recall is the best that a limit gives which few enough negatives exceed", () => {
  const random = createRandom(3)
  const scores = (count: number): readonly number[] =>
    Array.from({ length: count }, () => Math.floor(random() * 50) / 50)
  for (let round = 0; round < 100; round += 1) {
    const [positives, negatives] = [scores(20), scores(1 + Math.floor(random() * 300))]
    const recalls = [-1, ...negatives]
      .filter((limit) => negatives.filter((score) => score > limit).length / negatives.length <= 0.05)
      .map((limit) => positives.filter((score) => score > limit).length / positives.length)
    expect(recallAtFalsePositives(positives, negatives, 5)).toBe(Math.max(...recalls))
  }
})

test("with fewer than a hundred negatives, none may pass at one percent", () => {
  expect(recallAtFalsePositives([0.9, 0.7, 0.6], [0.1, 0.65], 1)).toBeCloseTo(2 / 3, 12)
})

test("figures of a threshold count what reaches it, and those of an order need both kinds", () => {
  const positive = [0.4, 0.5, 0.9].map((score) => ({ isPositive: true, score, threshold: 0.5 }))
  const negative = [0.1, 0.5].map((score) => ({ isPositive: false, score, threshold: 0.5 }))
  expect(rankingFigures([...positive, ...negative])).toEqual({
    auc: 4.5 / 6,
    recall_at_1_percent: 1 / 3,
    recall: 2 / 3,
    false_positives: 1 / 2,
  })
  expect(rankingFigures(negative)).toEqual({
    auc: Number.NaN,
    recall_at_1_percent: Number.NaN,
    recall: Number.NaN,
    false_positives: 1 / 2,
  })
})

test("means over sets weigh each set the same, among the negatives of all", () => {
  const random = createRandom(4)
  const scores = (count: number): readonly number[] =>
    Array.from({ length: count }, () => Math.floor(random() * 20) / 20)
  const [first, second, negatives] = [scores(30), scores(5), scores(250)]
  const casesOf = (set: string, isPositive: boolean, some: readonly number[]) =>
    some.map((score) => ({ set, isPositive, score, threshold: 0.5 }))
  const cases = [...casesOf("a", true, first), ...casesOf("b", true, second), ...casesOf("c", false, negatives)]
  const mean = (figure: (some: readonly number[]) => number): number => (figure(first) + figure(second)) / 2
  const found = rankingFiguresBySet(cases)
  expect(found["auc_by_set"]).toBeCloseTo(
    mean((some) => areaUnderCurve(some, negatives)),
    10,
  )
  expect(found["recall_at_1_percent_by_set"]).toBeCloseTo(
    mean((some) => recallAtFalsePositives(some, negatives, 1)),
    10,
  )
  expect(rankingFiguresBySet(cases.filter(({ set }) => set !== "b"))).toEqual({})
})
