// Tables for the report.

import type { Spread } from "./statistics.ts"

/** A Markdown table; the first column is text, the others are numbers. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n")
}

/** `0.91 (0.88 to 0.95)`; nothing when there is no figure. */
export function showSpread(value: Spread | undefined): string {
  if (value === undefined) return ""
  const text = (figure: number): string => figure.toFixed(Math.abs(figure) >= 10 ? 1 : 2)
  return `${text(value.median)} (${text(value.lowest)} to ${text(value.highest)})`
}
