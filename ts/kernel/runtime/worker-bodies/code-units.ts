// Places in texts: workers count code points, strings here count UTF-16 code units.

import type { TextRange } from "../../text/edited-text.ts"
import type { TextSpan } from "../../types/inference.ts"

/** The spans with places in code units. Throws for one that is not a part of the text. */
export function toCodeUnits(text: string, spans: readonly TextSpan[]): readonly TextSpan[] {
  if (spans.length === 0) return []
  const units = unitsOf(
    text,
    spans.flatMap(({ start, end }) => [start, end]),
  )
  return spans.map(({ label, start, end, probability }) => {
    const [first, last] = [units.get(start), units.get(end)]
    if (typeof label !== "string" || first === undefined || last === undefined || first > last)
      throw new TypeError(`Cannot place a span from ${start} to ${end} in ${text.length} characters`)
    if (!Number.isFinite(probability) || probability < 0 || probability > 1.001)
      throw new TypeError("A span needs a probability")
    return { label, start: first, end: last, probability }
  })
}

/** The same of parts without a label. */
export const rangesInCodeUnits = (text: string, ranges: readonly TextRange[]): readonly TextRange[] =>
  toCodeUnits(
    text,
    ranges.map(({ start, end }) => ({ label: "", start, end, probability: 1 })),
  ).map(({ start, end }) => ({ start, end }))

/** Places in code units by places in code points, in one pass that makes nothing for the others. */
function unitsOf(text: string, places: readonly number[]): ReadonlyMap<number, number> {
  const units = new Map<number, number>()
  let [place, unit] = [0, 0]
  for (const wanted of Float64Array.from(places).toSorted()) {
    for (; place < wanted && unit < text.length; place++) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1
    if (place === wanted) units.set(wanted, unit)
  }
  return units
}
