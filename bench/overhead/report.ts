// The tables of the overhead bench.

import type { Cell } from "../_shared/load/sample.ts"
import { markdownTable, showSpread } from "../_shared/markdown-table.ts"
import type { Result } from "../_shared/results.ts"
import type { Spread } from "../_shared/statistics.ts"

interface Figures {
  readonly ratios: Readonly<Record<string, Readonly<Record<string, Spread>>>>
  readonly cells: Readonly<Record<string, Readonly<Record<string, Cell>>>>
  readonly rssMib: Readonly<Record<string, number>>
}

export function overheadReport(result: Result): string {
  const { ratios, cells, rssMib } = result.figures as Figures
  const columns = Object.keys(Object.values(cells)[0] ?? {})
  const median = (label: string, name: string, figure: keyof Cell): number => cells[label]?.[name]?.[figure].median ?? 0
  const table = (figure: keyof Cell, digits: number, labels = Object.keys(cells)): string =>
    markdownTable(
      ["", ...columns],
      labels.map((label) => [label, ...columns.map((name) => median(label, name, figure).toFixed(digits))]),
    )
  const compared = [...new Set(Object.values(ratios).flatMap((entry) => Object.keys(entry)))]
  const streams = Object.keys(cells).filter((label) => label.startsWith("sse"))
  return [
    "## Overhead",
    "Ratios round by round: median (lowest to highest)",
    markdownTable(
      ["", ...compared],
      Object.entries(ratios).map(([label, entry]) => [label, ...compared.map((name) => showSpread(entry[name]))]),
    ),
    "Requests a second",
    table("requestsPerSecond", 0),
    "Milliseconds, p50",
    table("p50Ms", 2),
    "Milliseconds, p99",
    table("p99Ms", 2),
    "Milliseconds to the first byte of a stream, p50",
    table("firstByteP50Ms", 2, streams),
    "Milliseconds to the first byte of a stream, p99",
    table("firstByteP99Ms", 2, streams),
    "Microseconds of processor time of the server for one request",
    table("cpuMicroseconds", 0),
    `Resident memory after the load, MiB: ${Object.entries(rssMib)
      .map(([name, size]) => `${name} ${size}`)
      .join(", ")}`,
  ].join("\n\n")
}
