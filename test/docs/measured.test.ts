// The table of docs/measured.md says what the kept results say.

import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import type { AccuracyFigures } from "../../bench/accuracy/report.ts"
import { readBars } from "../../bench/accuracy/bars.ts"
import { readResult } from "../../bench/_shared/results.ts"

const page = readFileSync(new URL("../../docs/measured.md", import.meta.url), "utf8")
const rows = page
  .split("\n")
  .map((line) => /^\| .* \| `(\w+)\/(\w+)\/(\w+)` \| (.*) \| (.*) \| (.*) \|$/.exec(line)?.slice(1))
  .filter((row) => row !== undefined)

test("the table of accuracy has the figures of the last measurement, and its targets", () => {
  const { tasks } = (readResult("accuracy") as { readonly figures: AccuracyFigures }).figures
  const bars = readBars()
  const measured = rows.map(([task = "", set = "", figure = ""]) => {
    const { value, baseline } = tasks[task]?.sets[set]?.figures[figure] ?? {}
    const bar = bars.find((each) => each.task === task && each.set === set && each.figure === figure)
    return [task, set, figure, shown(value), target(bar), shown(baseline)]
  })
  expect(rows.length).toBeGreaterThan(20)
  expect(rows.map((row) => row.map((cell) => cell.trim()))).toEqual(measured)
})

const shown = (value: number | undefined): string => value?.toFixed(3) ?? ""

function target(bar: { readonly least?: number; readonly most?: number } | undefined): string {
  const { least, most } = bar ?? {}
  const text = (least ?? most)?.toFixed(3).replace(/0$/, "") ?? ""
  return most === undefined ? text : `≤ ${text}`
}
