// Where the lines of a text are numbered, as agents read files: the numbers make code look strange to models and say nothing.

import type { TextRange, Work } from "../../../kernel/index.ts"

const numbered = /^[ \t]*(\d{1,6})(?:→|\t|:| ?\|)/gm
/** One number in front of a text, and a short list, are part of what it says. */
const fewestLines = 4
const linesOfStep = 200

/** The numbers in front of lines that count on by one. */
export function* lineNumbers(text: string): Work<readonly TextRange[]> {
  const found: TextRange[] = []
  let counting: TextRange[] = []
  let [last, lines] = [-1, 0]
  const close = (): void => {
    if (counting.length >= fewestLines) found.push(...counting)
    counting = []
  }
  for (const { 0: prefix, 1: written, index } of text.matchAll(numbered)) {
    if (++lines % linesOfStep === 0) yield
    const before = counting.at(-1)
    const isNext = before !== undefined && Number(written) === last + 1 && text.indexOf("\n", before.end) === index - 1
    if (!isNext) close()
    last = Number(written)
    counting.push({ start: index, end: index + prefix.length })
  }
  close()
  return found
}
