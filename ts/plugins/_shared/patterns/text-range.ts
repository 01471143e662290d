// Parts of a text that match a pattern and pass a check, and what stands beside them.

import type { TextRange } from "../../../kernel/index.ts"

/**
 * Every match of a global pattern that passes the check, in order and without overlaps. Behind a match that fails the
 * search goes on one character later, so the pattern must be bounded in length to stay linear.
 */
export function findChecked(
  text: string,
  pattern: RegExp,
  check: (match: RegExpExecArray) => boolean,
): readonly TextRange[] {
  const ranges: TextRange[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const start = match.index
    const end = start + match[0].length
    if (check(match)) ranges.push({ start, end })
    else pattern.lastIndex = start + 1
  }
  return ranges
}

/** The characters before a position, as many as context may take. */
export const textBefore = (text: string, position: number): string => text.slice(Math.max(0, position - 48), position)

/** The characters after a position. */
export const textAfter = (text: string, position: number): string => text.slice(position, position + 32)

/** Whether the number at a position is said to be that of a thing: an order, a parcel, a book. */
export function isNumberOfThing(text: string, position: number): boolean {
  return thing.test(textBefore(text, position))
}

const thing =
  /(?:^|[^a-z])(?:order|tracking|parcel|package|shipment|invoice|ticket|case|isbn|imei|sku|serial|part|product|item|article|build|commit|request|trace)[\s_-]*(?:number|no|nr|num|id|code)?["'\s:#=.]*(?:is|was)?["'\s:#=]*$/i
