import { expect, test } from "vitest"
import { findSingles, measure } from "../../../../bench/accuracy/selection/curves.ts"
import type { Outcomes } from "../../../../bench/accuracy/selection/outcomes.ts"

const model = (name: string) => ({
  name,
  chat: true,
  prompt_per_1m: 1,
  completion_per_1m: 1,
  mean_completion_tokens: 1,
})

/** The cheap model knows two of four answers, the dear one a third one as well, the middle one none. */
const outcomes: Outcomes = {
  models: ["dear", "cheap", "middle"].map(model),
  questions: [
    [true, true],
    [true, true],
    [true, false],
    [false, false],
  ].map(([dear = false, cheap = false], row) => ({
    text: `q${row}`,
    subject: "one",
    source: `exam ${row}`,
    right: [dear, cheap, false],
    costs: [3, 1, 2],
    characters: [1, 1, 1],
  })),
}

test("the best mixture has the models that no mixture of others beats", () => {
  expect(findSingles(outcomes)).toEqual({ cheapest: 1, best: 0, hull: [1, 0] })
})

test("a gain is the distance to the best mixture at the same cost", () => {
  const { oracle, dear, middle } = measure(
    outcomes,
    new Map([
      ["oracle", new Map([["all", [1, 1, 0, 1]]])],
      ["dear", new Map([["always", [0, 0, 0, 0]]])],
      ["middle", new Map([["always", [2, 2, 2, 2]]])],
    ]),
  )
  expect(oracle?.points[0]).toMatchObject({ setting: "all", cost: 1.5, accuracy: { value: 0.75 } })
  // From 0.5 at 1 dollar to 0.75 at 1.5, and on: a mean of 0.71875; the mixture has 0.625.
  expect(oracle?.gain.value).toBeCloseTo(0.0938, 2)
  // At 0.75, 1.5 and 2.25 dollars: both the cheap model; 0.75 for 0.5625; 0.75 for 0.65625.
  expect(Object.values(oracle?.gainAt ?? {}).map(({ value }) => value)).toEqual([0, 0.1875, 0.0938])
  expect(dear?.gain).toEqual({ value: 0, low: 0, high: 0 })
  // From 0.5 at 1 dollar down to 0 at 2, and on: at 2.25 dollars 0 for 0.65625. Losses stand there as they are.
  expect(middle?.gainAt["75 %"]?.value).toBeCloseTo(-0.6563, 4)
})

test("a policy that was asked about some questions is compared on these alone", () => {
  const { some } = measure(outcomes, new Map([["some", new Map([["s", [-1, 1, -1, -1]]])]]))
  expect(some).toMatchObject({ questions: 1, points: [{ cost: 1, accuracy: { value: 1 } }] })
})
