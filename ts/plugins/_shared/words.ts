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

/** Matches any of the literals as whole words. */
export function anyWord(literals: readonly string[], caseSensitive: boolean): RegExp {
  return new RegExp(literals.map(wordPattern).join("|"), caseSensitive ? "u" : "iu")
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
