// Word matching that several signals share.

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

export interface WordFinder {
  test(text: string): boolean
}

/** A pattern of more words takes seconds to compile, and its time grows with every word that it has. */
const maxPatternWords = 200

/** Finds any of the literals as whole words. */
export function anyWord(literals: readonly string[], caseSensitive: boolean): WordFinder {
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
  }
}

function patternOf(literals: readonly string[], caseSensitive: boolean): RegExp {
  const pattern = new RegExp(literals.map(wordPattern).join("|"), caseSensitive ? "u" : "iu")
  // Engines compile a pattern when it is first used, once for texts of one byte a letter and once for others.
  pattern.test("a")
  pattern.test("\u0430")
  return pattern
}

/** Runs of letters and digits, lower case, each once. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}

/** Occurrence units of mixed text: each unspaced character counts as one, each run of letters or digits as one. */
export function countUnits(text: string): number {
  return (
    text.match(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[^\P{L}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|\p{N}+/gu,
    )?.length ?? 0
  )
}
