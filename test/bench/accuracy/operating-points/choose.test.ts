import { expect, test } from "vitest"
import { choosePoint, figuresAt } from "../../../../bench/accuracy/operating-points/choose.ts"

const right = (probability: number) => ({ probability, isRight: true })
const wrong = (probability: number) => ({ probability, isRight: false })
const evidence = {
  kind: "PERSON",
  marked: 4,
  findings: [right(0.99), right(0.9), right(0.62), wrong(0.58), wrong(0.52)],
  ordinary: [0.52, 0.66, 0.91],
  prompts: 100,
}

test("figures of a point count what reaches it", () => {
  const { precision, recall, f1, ordinary } = figuresAt(evidence, 0.6)
  expect([precision, recall, f1, ordinary]).toEqual([1, 0.75, 6 / 7, 0.02])
  expect(figuresAt(evidence, 0.995)).toMatchObject({ precision: 1, recall: 0, ordinary: 0 })
})

test("the best point is the one with the best F1, the lowest of equals", () =>
  expect(choosePoint(evidence, 1).point).toBe(0.6))

test("a point that too many ordinary prompts reach is not chosen", () => {
  expect(choosePoint(evidence, 0.01).point).toBe(0.7)
  expect(choosePoint(evidence, 0).point).toBe(0.95)
})

test("where every point is reached too often it is the highest", () =>
  expect(choosePoint({ ...evidence, ordinary: [1] }, 0).point).toBe(0.98))
