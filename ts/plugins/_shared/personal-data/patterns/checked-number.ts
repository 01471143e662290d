// Numbers that are known by their form, their check digits and the words beside them.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { findChecked, isNumberOfThing, textAfter, textBefore } from "./text-range.ts"

export interface CheckedNumber {
  readonly pattern: RegExp
  /** Of the number without spaces, dots and dashes. */
  readonly isValid: (signs: string) => boolean
  /** Words one of which must stand nearby where the form alone says too little. */
  readonly words?: RegExp
  /** A form that says enough without words. */
  readonly sureForm?: RegExp
}

/** A digit, and so many more with at most one sign between two. */
export const digits = (count: string): RegExp =>
  new RegExp(`(?<![\\w+.,/-])\\d(?:[ ./-]?\\d){${count}}(?![\\w]|[-./]\\d)`, "g")

/** In the order of the text, without overlaps. */
export function* findCheckedNumbers(text: string, kinds: readonly CheckedNumber[]): Work<readonly TextRange[]> {
  const found: TextRange[] = []
  for (const { pattern, isValid, words, sureForm } of kinds) {
    if (words !== undefined && sureForm === undefined && !words.test(text)) continue
    const ranges = yield* findChecked(text, pattern, ({ 0: written, index }) => {
      const signs = written.replace(/[ ./+-]/g, "")
      if (/^(\d)\1*[A-Z]?$/.test(signs) || !isValid(signs)) return false
      if (words?.test(textBefore(text, index)) || words?.test(textAfter(text, index + written.length))) return true
      return (words === undefined || (sureForm?.test(written) ?? false)) && !isNumberOfThing(text, index)
    })
    found.push(...ranges)
    yield
  }
  let last = 0
  return found
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .filter(({ start, end }) => {
      if (start < last) return false
      last = end
      return true
    })
}
