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

export const unchanged = (text: string): NormalizedText => ({ text, sourceSpan: (span) => span })

/** Writes an edited text from the beginning of its source to the end. */
export interface TextEditor {
  /** A character of the source, or one of as many code units instead of it. */
  keep(code: number): void
  /** What stands instead of the source from `start` to `end`; right behind what was written before. */
  replace(start: number, end: number, instead: string): void
  finish(): NormalizedText
}

/** Numbers of one edit: from and to where in the source, from and to where in the new text. */
const [stride, sourceStart, sourceEnd, newStart, newEnd] = [4, 0, 1, 2, 3]

/** A text of a million edits takes some bytes for each, and no object. */
export function editText({ length }: string): TextEditor {
  const parts: string[] = []
  const units = new Uint16Array(Math.min(8192, length + 16))
  let used = 0
  let written = 0
  let edits = new Uint32Array(16 * stride)
  let count = 0
  const flush = (): void => {
    parts.push(String.fromCharCode(...units.subarray(0, used)))
    used = 0
  }
  const write = (unit: number): void => {
    if (used === units.length) flush()
    units[used++] = unit
    written += 1
  }
  return {
    keep(code) {
      if (code <= 0xffff) return write(code)
      write(0xd7c0 + (code >> 10))
      write(0xdc00 + (code & 0x3ff))
    },
    replace(start, end, instead) {
      const from = written
      for (let index = 0; index < instead.length; index++) write(instead.charCodeAt(index))
      if (end - start === 1 && instead.length === 1) return
      if (count * stride === edits.length) {
        const more = new Uint32Array(edits.length * 2)
        more.set(edits)
        edits = more
      }
      edits.set([start, end, from, written], count * stride)
      count += 1
    },
    finish() {
      flush()
      return { text: parts.join(""), sourceSpan: toSource(edits, count) }
    },
  }
}

function toSource(edits: Uint32Array, count: number): NormalizedText["sourceSpan"] {
  const characterAt = (position: number): TextRange => {
    const edit = lastAtMost(edits, count, position)
    if (edit === -1) return { start: position, end: position + 1 }
    const number = (part: number): number => edits[edit * stride + part] ?? 0
    if (position < number(newEnd)) return { start: number(sourceStart), end: number(sourceEnd) }
    const source = number(sourceEnd) + position - number(newEnd)
    return { start: source, end: source + 1 }
  }
  // Up to the last character, not to the one behind it: what stands between them is no part of the span.
  return ({ start, end }) => ({
    start: characterAt(start).start,
    end: characterAt(Math.max(start, end - 1)).end,
  })
}

/** The last edit whose part of the new text begins at a position or before it; -1 where there is none. */
function lastAtMost(edits: Uint32Array, count: number, position: number): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((edits[middle * stride + newStart] ?? Infinity) > position) high = middle
    else low = middle + 1
  }
  return low - 1
}

/** Spans of a text that was edited twice lead to the first one. */
export const editedTwice = (first: NormalizedText, second: NormalizedText): NormalizedText => ({
  text: second.text,
  sourceSpan: (span) => first.sourceSpan(second.sourceSpan(span)),
})
