// Numbers in front of the lines of a text, as agents read files: they make code look strange to models and patterns, and say nothing.

const mayBeNumbered = /\n[ \t]*\d{1,6}(?:→|\t|:| ?\|)/
const numbered = /^[ \t]*(\d{1,6})(?:→|\t|:| ?\|)/gm
/** One number in front of a text, and a short list, are part of what it says. */
const fewestLines = 4

/** Numbers of lines that count on by one become as many blanks, so that everything else stays where it is. */
export function withoutLineNumbers(text: string): string {
  if (!mayBeNumbered.test(text)) return text
  const parts: string[] = []
  let at = 0
  for (const { start, end } of numbersIn(text)) {
    parts.push(text.slice(at, start), " ".repeat(end - start))
    at = end
  }
  return parts.join("") + text.slice(at)
}

interface Prefix {
  readonly start: number
  readonly end: number
}

function numbersIn(text: string): readonly Prefix[] {
  const found: Prefix[] = []
  let counting: Prefix[] = []
  let last = -1
  const close = (): void => {
    if (counting.length >= fewestLines) found.push(...counting)
    counting = []
  }
  for (const { 0: prefix, 1: written, index } of text.matchAll(numbered)) {
    const before = counting.at(-1)
    const isNext = before !== undefined && Number(written) === last + 1 && text.indexOf("\n", before.end) === index - 1
    if (!isNext) close()
    last = Number(written)
    counting.push({ start: index, end: index + prefix.length })
  }
  close()
  return found
}
