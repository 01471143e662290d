// What a package has to reach.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { TaskFigures } from "./task.ts"

export interface Bar {
  readonly task: string
  readonly set: string
  readonly figure: string
  readonly least?: number
  readonly most?: number
}

export function readBars(): readonly Bar[] {
  const text = readFileSync(join(import.meta.dirname, "bars.json"), "utf8")
  return (JSON.parse(text) as { readonly bars: readonly Bar[] }).bars
}

/** `≥ 0.80 met`, or by how much it is missed; nothing where the figure has no bar. */
export function showBar(bars: readonly Bar[], task: string, set: string, figure: string, value: number): string {
  const bar = bars.find((one) => one.task === task && one.set === set && one.figure === figure)
  if (bar === undefined) return ""
  const missing = missingOf(bar, value)
  return `${showLimit(bar)} ${missing === 0 ? "met" : `**missed by ${missing.toFixed(3)}**`}`
}

/** One line on all bars of the tasks that were measured. */
export function countBars(bars: readonly Bar[], measured: Readonly<Record<string, TaskFigures>>): string {
  const asked = bars.filter(({ task }) => measured[task] !== undefined)
  const values = asked.map((bar) => ({ bar, value: measured[bar.task]?.sets[bar.set]?.figures[bar.figure]?.value }))
  const met = values.filter(({ bar, value }) => value !== undefined && missingOf(bar, value) === 0)
  const absent = values
    .filter(({ value }) => value === undefined)
    .map(({ bar }) => `${bar.task}/${bar.set}/${bar.figure}`)
  return `${met.length} of ${asked.length} bars met${absent.length === 0 ? "" : `; not measured: ${absent.join(", ")}`}`
}

function missingOf({ least, most }: Bar, value: number): number {
  return Math.max(0, (least ?? value) - value, value - (most ?? value))
}

function showLimit({ least, most }: Bar): string {
  return least === undefined ? `≤ ${most}` : `≥ ${least}`
}
