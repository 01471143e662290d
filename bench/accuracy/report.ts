// The tables of the accuracy bench.

import { markdownTable } from "../_shared/markdown-table.ts"
import type { Result } from "../_shared/results.ts"
import { type Bar, countBars, readBars, showBar } from "./bars.ts"
import type { SetKind } from "./sets.ts"
import type { SetFigures, TaskFigures } from "./task.ts"

export interface AccuracyFigures {
  /** Digest of the weights by package. */
  readonly packages: Readonly<Record<string, string>>
  readonly tasks: Readonly<Record<string, TaskFigures>>
}

const headings: Readonly<Record<SetKind, string>> = {
  unseen: "Unseen sources",
  ordinary: "Ordinary prompts, which guards should leave alone",
  languages: "Other languages than English",
  adversarial: "Made or chosen to mislead",
  derived: "Rows of another set, asked something else",
  tuning: "Rows that temperatures and thresholds were fitted on",
}

export function accuracyReport(result: Result): string {
  const { packages, tasks } = result.figures as AccuracyFigures
  const bars = readBars()
  return [
    "## Accuracy",
    `Packages: ${Object.entries(packages)
      .map(([name, digest]) => `${name} (${digest.slice(0, 12)})`)
      .join(", ")}. Brackets are 95 % intervals of 1,000 resamples.`,
    ...Object.entries(tasks).flatMap(([task, figures]) => taskTables(task, figures, bars)),
    countBars(bars, tasks),
  ].join("\n\n")
}

function taskTables(task: string, { baselineName, shown, sets }: TaskFigures, bars: readonly Bar[]): readonly string[] {
  const kinds = Object.keys(headings) as SetKind[]
  const tables = kinds.flatMap((kind) => {
    const rows = Object.entries(sets)
      .filter(([, set]) => set.kind === kind)
      .flatMap(([name, set]) => setRows(task, name, set, shown, bars))
    return rows.length === 0
      ? []
      : [headings[kind], markdownTable(["set", "figure", "package", baselineName, "bar"], rows)]
  })
  return [`### ${task}`, ...tables]
}

function setRows(
  task: string,
  name: string,
  set: SetFigures,
  shown: readonly string[],
  bars: readonly Bar[],
): readonly (readonly string[])[] {
  const found = shown.flatMap((figure) => {
    const estimate = set.figures[figure]
    return estimate === undefined ? [] : [[figure, estimate] as const]
  })
  return found.map(([figure, { value, low, high, baseline }], place) => [
    place === 0 ? `${name}, ${rowCount(set)}` : "",
    figure.replaceAll("_", " "),
    `${show(value)} (${show(low)} to ${show(high)})`,
    baseline === undefined ? "" : show(baseline),
    showBar(bars, task, name, figure, value),
  ])
}

/** Three decimals, and no zero below zero. */
function show(value: number): string {
  return value.toFixed(3).replace(/^-(0\.000)$/, "$1")
}

function rowCount({ rows, of, failed }: SetFigures): string {
  return `${rows === of ? rows : `${rows} of ${of}`} rows${failed === 0 ? "" : `, ${failed} failed`}`
}
