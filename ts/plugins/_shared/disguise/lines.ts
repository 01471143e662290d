// Sentences with one word a line, beside numbers, times or signs of comments: rows of tables, subtitles, logs and code.

import { letterOf } from "./letter-pairs.ts"
import type { Segment } from "./segment.ts"

const fewestWords = 6
/** Subtitles have as many lines without a word between those with one. */
const mostEmpty = 3
const longestLine = 100

/** They stand in front of what a line says. */
const ofLines = /^(?:trace|debug|info|warn|warning|error|let|var|const|int|rem)$/i
const longestOfLines = 7
const ofSentences =
  /^(?:the|and|all|any|your|you|me|my|of|to|in|is|are|not|no|now|with|without|as|that|this|it|from|on|for|an?)$/i
/** Lists of words have none of these. */
const fewestOfSentences = 2

export function joinLines(text: string): readonly Segment[] {
  const segments: Segment[] = []
  let [words, start, end, empty]: [string[], number, number, number] = [[], 0, 0, 0]
  const close = (): void => {
    const plain = words.join(" ")
    const isSentence = words.filter((each) => ofSentences.test(each)).length >= fewestOfSentences
    if (words.length >= fewestWords && isSentence && plain !== text.slice(start, end).replaceAll(/\s+/g, " "))
      segments.push({ start, end, plain })
    words = []
  }
  for (let from = 0; from < text.length;) {
    const next = text.indexOf("\n", from)
    const to = next === -1 ? text.length : next
    const word = to - from > longestLine ? undefined : onlyWord(text, from, to)
    if (word === undefined || (word === "" && ++empty > mostEmpty)) close()
    else if (word !== "") {
      if (words.length === 0) start = from
      words.push(word)
      end = to
      empty = 0
    }
    from = to + 1
  }
  close()
  return segments
}

/** That of a line; nothing for a line without one, undefined for one with more. */
function onlyWord(text: string, from: number, to: number): string | undefined {
  let word = ""
  for (let index = from; index < to; index++) {
    const code = text.charCodeAt(index)
    if (code >= 0xc0 && (code < 0x2000 || code > 0x2bff)) return undefined
    if (!isLetter(code)) continue
    if (word !== "" && (word.length > longestOfLines || !ofLines.test(word))) return undefined
    const start = index
    while (index < to && (isLetter(text.charCodeAt(index)) || isApostrophe(text, index))) index++
    word = text.slice(start, index)
  }
  return word
}

const isLetter = (code: number): boolean => code < 128 && letterOf[code] !== 0
const isApostrophe = (text: string, index: number): boolean =>
  (text[index] === "'" || text[index] === "’") && isLetter(text.charCodeAt(index + 1))
