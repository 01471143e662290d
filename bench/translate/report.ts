// The tables of the translation bench.

import type { Cell } from "../_shared/load/sample.ts"
import { markdownTable, showSpread } from "../_shared/markdown-table.ts"
import type { Result } from "../_shared/results.ts"
import type { Spread } from "../_shared/statistics.ts"

interface Figures {
  readonly ratios: Readonly<Record<string, Readonly<Record<string, Spread>>>>
  readonly cells: Readonly<Record<string, Readonly<Record<string, Cell>>>>
}

export function translateReport(result: Result): string {
  const { ratios, cells } = result.figures as Figures
  const columns = Object.keys(Object.values(cells)[0] ?? {})
  const table = (figure: keyof Cell, digits: number, labels = Object.keys(cells)): string =>
    markdownTable(
      ["", ...columns],
      labels.map((label) => [
        label,
        ...columns.map((name) => (cells[label]?.[name]?.[figure].median ?? 0).toFixed(digits)),
      ]),
    )
  const compared = [...new Set(Object.values(ratios).flatMap((entry) => Object.keys(entry)))]
  const streams = Object.keys(cells).filter((label) => label.includes("-sse-"))
  return [
    "## Translation",
    "Ratios round by round: median (lowest to highest)",
    markdownTable(
      ["", ...compared],
      Object.entries(ratios).map(([label, entry]) => [label, ...compared.map((name) => showSpread(entry[name]))]),
    ),
    "Requests a second",
    table("requestsPerSecond", 0),
    ...(["P50", "P90", "P99"] as const).flatMap((share) => [
      `Milliseconds to the first event of a stream, ${share.toLowerCase()}`,
      table(`firstByte${share}Ms`, 2, streams),
    ]),
    "Microseconds of processor time of the server for one request",
    table("cpuMicroseconds", 0),
  ].join("\n\n")
}
