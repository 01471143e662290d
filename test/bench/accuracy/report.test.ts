import { expect, test } from "vitest"
import { accuracyReport } from "../../../bench/accuracy/report.ts"

test("sets stand by kind, with their baseline and what has become of their bar", () => {
  const estimate = { value: 0.91, low: 0.88, high: 0.93, baseline: 0.61 }
  const set = { rows: 40, of: 100, failed: 0, figures: { macro_f1: estimate, f1_math: estimate } }
  const report = accuracyReport({
    bench: "accuracy",
    date: "",
    commit: "",
    changed: false,
    machine: { processor: "", cores: 1, memoryGib: 1, system: "", loadBefore: 0 },
    versions: {},
    figures: {
      packages: { signals: "0123456789abcdef" },
      tasks: {
        domain: {
          baselineName: "bag of words",
          shown: ["macro_f1"],
          sets: {
            tuning: { ...set, kind: "tuning", rows: 100, failed: 2 },
            chat_test: { ...set, kind: "unseen" },
          },
        },
      },
    },
  })
  expect(report.split("\n\n")).toEqual([
    "## Accuracy",
    "Packages: signals (0123456789ab). Brackets are 95 % intervals of 1,000 resamples.",
    "### domain",
    "Unseen sources",
    [
      "| set | figure | package | bag of words | bar |",
      "| --- | ---: | ---: | ---: | ---: |",
      "| chat_test, 40 of 100 rows | macro f1 | 0.910 (0.880 to 0.930) | 0.610 | ≥ 0.8 met |",
    ].join("\n"),
    "Rows that temperatures and thresholds were fitted on",
    [
      "| set | figure | package | bag of words | bar |",
      "| --- | ---: | ---: | ---: | ---: |",
      "| tuning, 100 rows, 2 failed | macro f1 | 0.910 (0.880 to 0.930) | 0.610 |  |",
    ].join("\n"),
    "1 of 3 bars met; not measured: domain/unseen_exams/macro_f1, domain/together/calibration_error",
  ])
})
