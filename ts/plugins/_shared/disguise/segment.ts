// Parts of a text that say something else once they are decoded.

import type { Work } from "../../../kernel/index.ts"

/** `text.slice(start, end)` means `plain`. */
export interface Segment {
  readonly start: number
  readonly end: number
  readonly plain: string
  /** What it means says nothing yet: it may be encoded once more. */
  readonly isCode?: boolean
}

const fewestOfCode = 16

/** What is encoded has signs that show something. */
export const isCode = (text: string): boolean => text.length >= fewestOfCode && !/(?![\t\n\r])\p{Cc}|\ufffd/u.test(text)

/** Those that say words, and those that may be encoded once more. */
export const decoded = (segments: readonly Segment[], says: (plain: string) => boolean): readonly Segment[] =>
  segments.length === 0
    ? segments
    : segments.flatMap((each) => (says(each.plain) ? each : isCode(each.plain) ? { ...each, isCode: true } : []))

/** Each part of a text that has a form, with what it means. */
export const segmentsOf = (text: string, form: RegExp, toPlain: (found: string) => string): readonly Segment[] =>
  // Nearly every text has none.
  text.search(form) === -1
    ? none
    : Array.from(text.matchAll(form), ({ 0: found, index: start }) => ({
        start,
        end: start + found.length,
        plain: toPlain(found),
      }))

const none: readonly Segment[] = []

/** Shorter ones may be single words of a sentence, which are read with what stands around them. */
const isShort = 60
const around = 120
const segmentsOfStep = 512

/** The text with its parts decoded, without what is far from any of them. Segments are in order and do not overlap. */
export function* viewing(text: string, segments: readonly Segment[]): Work<string> {
  const parts: string[] = []
  let [part, at] = ["", -1]
  for (const [index, { start, end, plain }] of segments.entries()) {
    if (index % segmentsOfStep === segmentsOfStep - 1) yield
    const reach = end - start < isShort ? around : 0
    const from = Math.max(0, start - reach)
    if (at !== -1 && from <= at + around) part += text.slice(at, start) + plain
    else {
      if (at !== -1) parts.push(part + text.slice(at, at + around))
      part = text.slice(from, start) + plain
    }
    at = end
  }
  const last = segments.at(-1)
  const tail = last !== undefined && last.end - last.start < isShort ? around : 0
  parts.push(part + text.slice(at, at + tail))
  return parts.join("\n")
}
