import { expect, test } from "vitest"
import { type Bar, countBars, showBar } from "../../../bench/accuracy/bars.ts"

const bars: readonly Bar[] = [
  { task: "domain", set: "exam", figure: "macro_f1", least: 0.7 },
  { task: "domain", set: "exam", figure: "calibration_error", most: 0.05 },
  { task: "pii", set: "names", figure: "recall_PERSON", least: 0.8 },
]

test.each([
  ["macro_f1", 0.7, "≥ 0.7 met"],
  ["macro_f1", 0.65, "≥ 0.7 **missed by 0.050**"],
  ["calibration_error", 0.01, "≤ 0.05 met"],
  ["calibration_error", 0.08, "≤ 0.05 **missed by 0.030**"],
  ["accuracy", 0.1, ""],
])("%s of %d is shown as %j", (figure, value, shown) => {
  expect(showBar(bars, "domain", "exam", figure, value)).toBe(shown)
})

test("bars of tasks that were measured are counted, and those without a figure are named", () => {
  const figures = { macro_f1: { value: 0.71, low: 0.6, high: 0.8 } }
  const sets = { exam: { kind: "unseen", rows: 1, of: 1, failed: 0, figures } } as const
  const domain = { baselineName: "words", shown: ["macro_f1"], sets }
  expect(countBars(bars, { domain })).toBe("1 of 2 bars met; not measured: domain/exam/calibration_error")
})
