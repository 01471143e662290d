// Word matching that several signals share.

import type { Work } from "../../kernel/index.ts"

/** Chinese, Japanese and Korean text has no spaces between words, so word boundaries mean nothing there. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const wordCharacter = /[\p{L}\p{N}_]/u

/** Pattern source (flag `u`) that finds a literal as a whole word; literals of symbols or unspaced scripts match anywhere. */
export function wordPattern(literal: string): string {
  const escaped = literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
  if (unspaced.test(literal) || !wordCharacter.test(literal)) return escaped
  // `\b` knows ASCII letters only; these boundaries also hold beside é, я and ß. A side that is no letter needs none.
  const first = [...literal][0] ?? ""
  const last = [...literal].at(-1) ?? ""
  return `${wordCharacter.test(first) ? "(?<![\\p{L}\\p{N}_])" : ""}${escaped}${wordCharacter.test(last) ? "(?![\\p{L}\\p{N}_])" : ""}`
}

/** Searches a text. */
export interface Finder {
  /** At once, for a short text. */
  test(text: string): boolean
  /** In steps. Undefined where nothing was found in the part of a very long text that was read. */
  testing(text: string): Work<boolean | undefined>
}

/** A pattern of more words takes seconds to compile, and its time grows with every word that it has. */
const maxPatternWords = 200

/** A search for words ends there. */
export const maxSearchedCharacters = 262_144

/** Finds any of the literals as whole words. */
export function anyWord(literals: readonly string[], caseSensitive: boolean): Finder {
  if (literals.length <= maxPatternWords) return patternOf(literals, caseSensitive)
  const isOneWord = (literal: string): boolean => /^[\p{L}\p{N}_]+$/u.test(literal) && !unspaced.test(literal)
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase())
  const words = new Set(literals.filter(isOneWord).map(fold))
  const others = literals.filter((literal) => !isOneWord(literal))
  const patterns = Array.from({ length: Math.ceil(others.length / maxPatternWords) }, (_, part) =>
    patternOf(others.slice(part * maxPatternWords, (part + 1) * maxPatternWords), caseSensitive),
  )
  return {
    test: (text) =>
      (fold(text).match(/[\p{L}\p{N}_]+/gu) ?? []).some((word) => words.has(word)) ||
      patterns.some((pattern) => pattern.test(text)),
    *testing(text) {
      let count = 0
      for (const [word] of fold(text.slice(0, maxSearchedCharacters)).matchAll(/[\p{L}\p{N}_]+/gu)) {
        if (words.has(word)) return true
        if (++count % wordsOfStep === 0) yield
      }
      if (text.length > maxSearchedCharacters && patterns.length === 0) return undefined
      return yield* anyOf(patterns, text)
    },
  }
}

const wordsOfStep = 1024

function patternOf(literals: readonly string[], caseSensitive: boolean): Finder {
  const pattern = wordsPattern(literals, caseSensitive)
  const longest = Math.max(...literals.map(({ length }) => length))
  return {
    test: (text) => {
      pattern.lastIndex = 0
      return pattern.test(text)
    },
    *testing(text) {
      if ((yield* countWords(text.slice(0, maxSearchedCharacters), pattern, longest, 1)) > 0) return true
      return text.length > maxSearchedCharacters ? undefined : false
    },
  }
}

/** Finds each of the literals as a whole word. */
export function wordsPattern(literals: readonly string[], caseSensitive: boolean): RegExp {
  const pattern = new RegExp(literals.map(wordPattern).join("|"), caseSensitive ? "gu" : "giu")
  // Engines compile a pattern when it is first used, once for texts of one byte a letter and once for others, and better when it is used again.
  for (const text of ["a", "a", "\u0430", "\u0430"]) text.replace(pattern, "")
  return pattern
}

/** What is beside a word: a character before it and one behind it. */
const aside = 2
const charactersOfPiece = 8192

/**
 * Counts the matches of a pattern of words, none of which is longer than `longest`, up to `most`. A long text is searched
 * in pieces, which overlap by what a match takes and what its boundaries look at.
 */
export function* countWords(text: string, pattern: RegExp, longest: number, most = Infinity): Work<number> {
  let [count, from] = [0, 0]
  for (let start = 0; start < text.length; start += charactersOfPiece) {
    if (start > 0) yield
    const first = Math.max(0, start - aside)
    const last = start + charactersOfPiece
    const piece = text.slice(first, last + longest + aside)
    for (;;) {
      pattern.lastIndex = Math.max(from, start) - first
      const match = pattern.exec(piece)
      if (match === null || first + match.index >= last) break
      from = first + match.index + match[0].length
      count += 1
      if (count >= most) return count
    }
  }
  return count
}

/** Whether one of the finders finds something; undefined where none did and one could not read all of the text. */
export function* anyOf(finders: readonly Finder[], text: string): Work<boolean | undefined> {
  let isRead = true
  for (const finder of finders) {
    const found = yield* finder.testing(text)
    if (found === true) return true
    isRead &&= found === false
    yield
  }
  return isRead ? false : undefined
}

/** Whether each of the finders finds something; undefined where it depends on what was not read. */
export function* eachOf(finders: readonly Finder[], text: string): Work<boolean | undefined> {
  let isRead = true
  for (const finder of finders) {
    const found = yield* finder.testing(text)
    if (found === false) return false
    isRead &&= found === true
    yield
  }
  return isRead ? true : undefined
}

/** Runs of letters and digits, lower case, each once. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}

const unit =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[^\P{L}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|\p{N}+/gu

/** Occurrence units of mixed text: each unspaced character counts as one, each run of letters or digits as one. */
export function* countUnits(text: string): Work<number> {
  let count = 0
  for (const _ of text.matchAll(unit)) if (++count % wordsOfStep === 0) yield
  return count
}
