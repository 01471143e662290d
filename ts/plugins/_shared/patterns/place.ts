// Places that look like something, and the check that says whether they are.

/** A part of a text: `text.slice(start, end)`. */
export interface Place {
  readonly start: number
  readonly end: number
}

/**
 * Every match of a global pattern that passes the check, in order and without overlaps. Behind a match that fails the
 * search goes on one character later, so the pattern must be bounded in length to stay linear.
 */
export function findChecked(
  text: string,
  pattern: RegExp,
  check: (match: RegExpExecArray) => boolean,
): readonly Place[] {
  const places: Place[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const start = match.index
    const end = start + match[0].length
    if (check(match)) places.push({ start, end })
    else pattern.lastIndex = start + 1
  }
  return places
}

/** The characters in front of a place, as many as context may take. */
export const textBefore = (text: string, place: number): string => text.slice(Math.max(0, place - 48), place)

/** The characters behind a place. */
export const textAfter = (text: string, place: number): string => text.slice(place, place + 32)

/** Whether the number at a place is said to be that of a thing: an order, a parcel, a book. */
export function isNumberOfThing(text: string, place: number): boolean {
  return thing.test(textBefore(text, place))
}

const thing =
  /(?:^|[^a-z])(?:order|tracking|parcel|package|shipment|invoice|ticket|case|isbn|imei|sku|serial|part|product|item|article|build|commit|request|trace)[\s_-]*(?:number|no|nr|num|id|code)?["'\s:#=.]*(?:is|was)?["'\s:#=]*$/i
