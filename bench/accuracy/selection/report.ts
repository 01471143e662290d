// The tables of the selection bench.

import { markdownTable } from "../../_shared/markdown-table.ts"
import type { Result } from "../../_shared/results.ts"
import type { Estimate } from "../figures/bootstrap.ts"
import type { PolicyFigures } from "./curves.ts"
import type { LoopersResult } from "./loopers.ts"

export interface PoolFigures {
  readonly questions: number
  /** Subjects that were left out together. */
  readonly folds: readonly (readonly string[])[]
  readonly cheapest: string
  readonly best: string
  /** Models of the best mixture, cheapest first. */
  readonly mixture: readonly string[]
  /** Questions that the decision model did not answer; the first candidate did. */
  readonly refused: number
  readonly policies: Readonly<Record<string, PolicyFigures>>
}

/** Points of which each stands for itself: no curve leads through them. */
export const singleModels = "single models"

const headings: Readonly<Record<string, string>> = { open: "Open chat models", all: "With Gemini 1.5 Flash and Pro" }

export function selectionReport(result: Result): string {
  const { pools, loopers } = result.figures as {
    readonly pools: Readonly<Record<string, PoolFigures>>
    readonly loopers: LoopersResult
  }
  return [
    "## Selectors and loopers on recorded answers",
    "Questions of MMLU-Pro; every subject is left out once, and what answers for it was trained on the others. Costs are dollars for a thousand calls. Brackets are 95 % intervals of 1,000 resamples of exams.",
    ...Object.entries(pools).flatMap(([pool, figures]) => poolTables(headings[pool] ?? pool, figures)),
    ...looperTables(loopers),
  ].join("\n\n")
}

function poolTables(
  heading: string,
  { questions, cheapest, best, mixture, refused, policies }: PoolFigures,
): readonly string[] {
  const judged = Object.entries(policies).filter(([name]) => name !== singleModels)
  const gains = judged.map(([name, { gain, gainAt, questions: asked }]) => [
    asked === questions ? name : `${name} (${asked} questions)`,
    signed(gain),
    ...Object.values(gainAt).map(signed),
  ])
  const shares = Object.keys(Object.values(policies)[0]?.gainAt ?? {})
  const points = Object.entries(policies).flatMap(([name, { points: settings }]) =>
    settings.map(({ setting, cost, accuracy }, index) => [
      index === 0 ? name : "",
      setting,
      cost.toFixed(3),
      `${accuracy.value.toFixed(3)} (${accuracy.low.toFixed(3)} to ${accuracy.high.toFixed(3)})`,
    ]),
  )
  return [
    `### ${heading}`,
    `${questions} questions. The cheapest model is ${cheapest}, the best is ${best}. The best mixture of single models, chosen in hindsight and blind to the prompt, has ${mixture.join(", ")}.${refused === 0 ? "" : ` The decision model refused ${refused} questions, because it cannot tell so many options apart.`}`,
    "Accuracy over that of the best mixture at the same cost: mean over all budgets, and at shares of the best model's cost.",
    markdownTable(["policy", "all budgets", ...shares.map((share) => `at ${share}`)], gains),
    "Each setting:",
    markdownTable(["policy", "setting", "cost", "accuracy"], points),
  ]
}

function looperTables({ questions, panel, singles, loopers }: LoopersResult): readonly string[] {
  return [
    "### Loopers",
    `${questions} questions, panel ${panel.join(", ")}. Calls and their sizes are those of the loopers; which letter a model chose was not recorded, so the accuracy holds only for what is assumed.`,
    markdownTable(
      ["looper", "assumed", "calls", "cost", "accuracy"],
      [
        ...singles.map(({ model, cost, accuracy }) => [model, "alone", "1", cost.toFixed(3), accuracy.toFixed(3)]),
        ...loopers.map(({ looper, assumed, calls, cost, accuracy }) => [
          looper,
          assumed,
          calls.toFixed(2),
          cost.toFixed(3),
          `${accuracy.value.toFixed(3)} (${accuracy.low.toFixed(3)} to ${accuracy.high.toFixed(3)})`,
        ]),
      ],
    ),
  ]
}

/** `+0.012 (-0.003 to +0.027)` */
function signed({ value, low, high }: Estimate): string {
  const show = (number: number): string =>
    `${number < -0.0005 ? "" : "+"}${number.toFixed(3).replace("-0.000", "0.000")}`
  return `${show(value)} (${show(low)} to ${show(high)})`
}
