// A text that was edited, with the way back from a span of it to the span of its source.

/** A part of a text: `text.slice(start, end)`. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** A text that was made of another one. */
export interface NormalizedText {
  readonly text: string
  /** The same part of the text that it was made from. */
  readonly sourceSpan: (span: TextRange) => TextRange
}

/** A part of a text and what stands there instead. */
export interface Edit extends TextRange {
  readonly instead: string
}

/** Edits a text that was edited before; spans still lead to the first one. The edits do not overlap. */
export function editAgain(before: NormalizedText, edits: readonly Edit[]): NormalizedText {
  if (edits.length === 0) return before
  const after = applyEdits(
    before.text,
    edits.toSorted((a, b) => a.start - b.start),
  )
  return { text: after.text, sourceSpan: (span) => before.sourceSpan(after.sourceSpan(span)) }
}

/** Applies edits, which are in order and do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): NormalizedText {
  if (edits.length === 0) return { text, sourceSpan: (span) => span }
  const parts: string[] = []
  /** Where each edit begins in the new text. */
  const starts: number[] = []
  let [read, written] = [0, 0]
  for (const { start, end, instead } of edits) {
    parts.push(text.slice(read, start), instead)
    written += start - read
    starts.push(written)
    written += instead.length
    read = end
  }
  parts.push(text.slice(read))
  const characterAt = (position: number): TextRange => {
    const index = lastAtMost(starts, position)
    const [edit, start] = [edits[index], starts[index]]
    if (edit === undefined || start === undefined) return { start: position, end: position + 1 }
    if (position < start + edit.instead.length) return edit
    const source = edit.end + position - start - edit.instead.length
    return { start: source, end: source + 1 }
  }
  return {
    text: parts.join(""),
    // Up to the last character, not to the one behind it: what stands between them is no part of the span.
    sourceSpan: ({ start, end }) => ({
      start: characterAt(start).start,
      end: characterAt(Math.max(start, end - 1)).end,
    }),
  }
}

/** Position of the last number that is at most `limit`; -1 where there is none. The numbers are in order. */
export function lastAtMost(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? Infinity) > limit) high = middle
    else low = middle + 1
  }
  return low - 1
}
