import { expect, test } from "vitest"
import { type AnsweredCase, coverageCurve, coverageFigures } from "../../../../bench/accuracy/figures/coverage.ts"

const cases = (count: number, parts: (place: number) => Partial<AnsweredCase>): readonly AnsweredCase[] =>
  Array.from({ length: count }, (_, place) => ({
    type: "choice",
    isRight: true,
    sureness: 1 - place / count,
    abstains: false,
    ...parts(place),
  }))

test("what is answered counts without abstentions, and so does how much of it is right", () => {
  const some = cases(8, (place) => ({ abstains: place >= 4, isRight: place % 4 === 0 }))
  expect(coverageFigures(some)).toEqual({
    answered_choice: 0.5,
    right_of_answered_choice: 0.25,
    coverage_at_75_percent_choice: 0,
  })
})

test("the surest answers come first, until fewer than three of four are right", () => {
  const some = cases(100, (place) => ({ isRight: place < 60 }))
  expect(coverageFigures(some)["coverage_at_75_percent_choice"]).toBe(0.8)
  expect(coverageCurve(some)[0]).toEqual({ coverage: 0.2, rightShare: 1 })
  expect(coverageCurve(some).at(-1)).toEqual({ coverage: 1, rightShare: 0.6 })
})

test("equally sure answers are given together, so that their order does not flatter", () => {
  const some = cases(40, (place) => ({ isRight: place < 20, sureness: 0.5 }))
  expect(coverageCurve(some)).toEqual([{ coverage: 1, rightShare: 0.5 }])
})

test("a few answers are no curve", () => {
  expect(coverageCurve(cases(19, () => ({})))).toEqual([])
  expect(coverageFigures(cases(19, () => ({})))["coverage_at_75_percent_choice"]).toBe(0)
})
