import { expect, test } from "vitest"
import { decisionFigures, type DecisionCase, skill } from "../../../../bench/accuracy/figures/decisions.ts"

const one = (parts: Partial<DecisionCase>): DecisionCase => ({
  set: "a",
  type: "noul",
  options: 2,
  truth: "true",
  isRight: true,
  probability: 1,
  ...parts,
})

test("who always gives the commoner answer has no skill, however common it is", () => {
  const cases = [
    ...Array.from({ length: 9 }, () => one({ truth: "false", isRight: true })),
    one({ truth: "true", isRight: false }),
  ]
  expect(skill(cases)).toBe(0)
  expect(decisionFigures(cases)["accuracy"]).toBe(0.9)
})

test("always right is 1, always wrong on two answers is -1", () => {
  expect(skill([one({ truth: "true" }), one({ truth: "false" })])).toBe(1)
  expect(skill([one({ truth: "true", isRight: false }), one({ truth: "false", isRight: false })])).toBe(-1)
})

test("chance of a choice is one in its options", () => {
  const choice = (isRight: boolean): DecisionCase => one({ type: "choice", options: 4, truth: "x", isRight })
  expect(skill([choice(true), choice(false), choice(false), choice(false)])).toBe(0)
  expect(skill([choice(true), choice(true), choice(false), choice(false)])).toBeCloseTo(1 / 3, 12)
})

test("groups weigh as many as their rows, and a group with one answer shows nothing", () => {
  const right = [one({ truth: "true" }), one({ truth: "false" })]
  const chance = [
    ...[true, false].map((isRight) => one({ set: "b", truth: "true", isRight })),
    ...[true, false].map((isRight) => one({ set: "b", truth: "false", isRight })),
  ]
  expect(skill([...right, ...chance, one({ set: "c" }), one({ set: "c" })])).toBeCloseTo(2 / 6, 12)
})

test("questions without a right option count only for how well they are told from others", () => {
  const choice = (parts: Partial<DecisionCase>): DecisionCase =>
    one({ type: "choice", options: 3, truth: "x", ...parts })
  const answerable = [choice({ abstain: 0.1 }), choice({ abstain: 0.4, isRight: false })]
  const lost = [0.3, 0.9].map((abstain) => choice({ truth: undefined, isRight: false, abstain }))
  expect(decisionFigures([...answerable, ...lost])).toEqual({
    ...decisionFigures(answerable),
    abstain_auc: 0.75,
    abstained_without_answer: 0.5,
  })
  expect(decisionFigures(answerable)).not.toHaveProperty("abstain_auc")
})

test("figures stand for all questions and for each type", () => {
  const figures = decisionFigures([
    one({ truth: "true", probability: 0.75 }),
    one({ truth: "false", isRight: false, probability: 0.75 }),
    one({ type: "choice", options: 3, truth: "x", probability: 0.75 }),
    one({ type: "choice", options: 3, truth: "y", probability: 0.75 }),
  ])
  expect(figures).toMatchObject({
    skill: 0.5,
    accuracy: 0.75,
    accuracy_choice: 1,
    accuracy_noul: 0.5,
    skill_choice: 1,
    skill_noul: 0,
    calibration_error: 0,
  })
})

test("conclusions: how often nothing is said, and how far the rest is above the commoner answer of its set", () => {
  const said = [
    one({ set: "boolqa", truth: "true" }),
    one({ set: "boolqa", truth: "true", isRight: false }),
    one({ set: "boolqa", truth: "false" }),
    one({ set: "t0_qasc", truth: "false" }),
  ]
  const silent = Array.from({ length: 4 }, () => one({ set: "t0_paws", isRight: false, abstain: 0.5 }))
  const figures = decisionFigures([...said, ...silent, one({ set: "other", isRight: false })])
  expect(figures).toMatchObject({ abstained_conclusions: 0.5, above_majority_conclusions: 0 })
  expect(decisionFigures([one({ set: "other" })])).not.toHaveProperty("abstained_conclusions")
})
