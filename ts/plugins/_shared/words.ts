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

/** A text that several words are looked for in. */
export interface SearchedText {
  readonly text: string
  /** The text in lower case, for one of ASCII only: there, plain searching finds what patterns find. */
  readonly lowerAscii: string | undefined
}

const ascii = /^[\0-\x7f]*$/

export const toSearchedText = (text: string): SearchedText => ({
  text,
  lowerAscii: ascii.test(text) ? text.toLowerCase() : undefined,
})

/** Finds a literal as a whole word, as `wordPattern` does. Plain searching is several times as fast as a pattern. */
export function wordFinder(literal: string, caseSensitive: boolean): (text: SearchedText) => boolean {
  const pattern = new RegExp(wordPattern(literal), caseSensitive ? "u" : "iu")
  if (!ascii.test(literal)) return ({ text }) => pattern.test(text)
  const wanted = caseSensitive ? literal : literal.toLowerCase()
  const isBounded = wordCharacter.test(literal)
  const startsInWord = isBounded && isAsciiWord(literal.charCodeAt(0))
  const endsInWord = isBounded && isAsciiWord(literal.charCodeAt(literal.length - 1))
  return ({ text, lowerAscii }) => {
    if (lowerAscii === undefined) return pattern.test(text)
    const searched = caseSensitive ? text : lowerAscii
    for (let at = searched.indexOf(wanted); at !== -1; at = searched.indexOf(wanted, at + 1)) {
      const end = at + wanted.length
      if (startsInWord && at > 0 && isAsciiWord(searched.charCodeAt(at - 1))) continue
      if (endsInWord && end < searched.length && isAsciiWord(searched.charCodeAt(end))) continue
      return true
    }
    return false
  }
}

/** Letters, digits and the underscore. */
const isAsciiWord = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === 0x5f

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
