// Places in texts: workers count code points, strings here count UTF-16 code units.

import type { TextSpan } from "../types/inference.ts"

/** The spans with places in code units. Throws for one that is not a part of the text. */
export function toCodeUnits(text: string, spans: readonly TextSpan[]): readonly TextSpan[] {
  if (spans.length === 0) return []
  // Position of every code point, and of the end.
  const units: number[] = []
  for (let unit = 0; unit < text.length; unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1) units.push(unit)
  units.push(text.length)
  return spans.map(({ label, start, end, probability }) => {
    const [first, last] = [units[start], units[end]]
    if (typeof label !== "string" || first === undefined || last === undefined || first > last)
      throw new TypeError(`Cannot place a span from ${start} to ${end} in ${units.length - 1} characters`)
    if (!Number.isFinite(probability)) throw new TypeError("A span needs a probability")
    return { label, start: first, end: last, probability }
  })
}
