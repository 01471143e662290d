// Takes the signs of Markdown, JSON and HTML out of a sentence. Models of backends read the words between them; a guard is less sure of
// words that are quoted as code or data.

/** Emphasis within a word; other elements stand between words. */
const inlineTag =
  /<\/?(?:[abiu]|big|code|em|font|mark|s|small|span|strong|su[bp])(?:\s[^<>]{0,200})?>|<!--[^<>]{0,200}-->/gi
const tag = /<\/?[a-z][^<>]{0,200}>/gi
const mark = /[`"]|<[/!a-z]/i
const marks = /`{3,}(?:\w+(?=\r?\n))?|[`"{}[\]]+/g
/** Between the names, values and items that marks stand around. */
const separator = /(?<=["\]}])\s*[:,]|[:,](?=\s*["[{])/g

/** Undefined for a sentence that has none of them. */
export function withoutMarks(sentence: string): string | undefined {
  if (!mark.test(sentence)) return undefined
  return sentence
    .replaceAll(inlineTag, "")
    .replaceAll(tag, " ")
    .replaceAll(separator, " ")
    .replaceAll(marks, " ")
    .replaceAll(/ {2,}/g, " ")
    .trim()
}
