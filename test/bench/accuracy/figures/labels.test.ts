import { expect, test } from "vitest"
import { labelFigures, type LabelCase } from "../../../../bench/accuracy/figures/labels.ts"
import { createRandom } from "../../../../bench/inference/random.ts"

const cases = (...pairs: readonly (readonly [string, string])[]): readonly LabelCase[] =>
  pairs.map(([truth, label]) => ({ truth, label }))

test("macro F1 is the mean over the labels that the truth has, whatever else is answered", () => {
  const { macro_f1: macro, accuracy, ...byLabel } = labelFigures(cases(["a", "a"], ["a", "b"], ["b", "b"], ["b", "c"]))
  // a: precision 1, recall 1/2; b: precision 1/2, recall 1/2; c is never true.
  expect(byLabel).toEqual({ f1_a: 2 / 3, f1_b: 1 / 2 })
  expect(macro).toBeCloseTo((2 / 3 + 1 / 2) / 2, 12)
  expect(accuracy).toBe(0.5)
})

test("a set of one label is worth what is found of it", () => {
  expect(labelFigures(cases(["a", "a"], ["a", "b"], ["a", "a"], ["a", "a"]))).toEqual({
    macro_f1: 6 / 7,
    accuracy: 3 / 4,
    f1_a: 6 / 7,
  })
})

test("F1 agrees with precision and recall, counted one by one", () => {
  const random = createRandom(1)
  const pick = (): string => "abcd"[Math.floor(random() * 4)] ?? ""
  for (let round = 0; round < 50; round += 1) {
    const drawn = Array.from({ length: 1 + Math.floor(random() * 40) }, () => ({ truth: pick(), label: pick() }))
    const figures = labelFigures(drawn)
    for (const label of new Set(drawn.map(({ truth }) => truth))) {
      const right = drawn.filter((one) => one.truth === label && one.label === label).length
      const precision = right / Math.max(1, drawn.filter((one) => one.label === label).length)
      const recall = right / drawn.filter((one) => one.truth === label).length
      const f1 = right === 0 ? 0 : (2 * precision * recall) / (precision + recall)
      expect(figures[`f1_${label}`]).toBeCloseTo(f1, 10)
    }
  }
})
