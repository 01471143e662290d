// Numbers in front of the lines of a text, as agents read files: they make code look strange to models and patterns, and say nothing.

/** Lines end with a line feed alone: with other ends the search for the end of each would be a search to the end of the text. */
const numbered = /(?<![^\n])[ \t]*(\d{1,6})(?:→|\t|:| ?\|)/g
/** One number in front of a text, and a short list, are part of what it says. */
const fewestLines = 4

/** Numbers of lines that count on by one become as many blanks, so that everything else stays where it is. */
export function withoutLineNumbers(text: string): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end } of numbersIn(text)) {
    parts.push(text.slice(at, start), " ".repeat(end - start))
    at = end
  }
  return at === 0 ? text : parts.join("") + text.slice(at)
}

interface Prefix {
  readonly start: number
  readonly end: number
}

function numbersIn(text: string): readonly Prefix[] {
  const found: Prefix[] = []
  /** Where in `found` the lines begin that count on. */
  let first = 0
  let last = -1
  const close = (): void => {
    if (found.length - first < fewestLines) found.length = first
    first = found.length
  }
  for (const { 0: prefix, 1: written, index } of text.matchAll(numbered)) {
    const before = found.length > first ? found.at(-1) : undefined
    const isNext = before !== undefined && Number(written) === last + 1 && text.indexOf("\n", before.end) === index - 1
    if (!isNext) close()
    last = Number(written)
    found.push({ start: index, end: index + prefix.length })
  }
  close()
  return found
}
