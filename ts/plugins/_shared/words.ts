// Word matching that several signals share.

import type { Work } from "../../kernel/index.ts"

/** Chinese, Japanese and Korean text has no spaces between words, so word boundaries mean nothing there. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** Searches a text. */
export interface Finder {
  /** At once, for a short text. */
  test(text: string): boolean
  /** In steps. Undefined where the part of a very long text that was read does not settle it. */
  testing(text: string): Work<boolean | undefined>
}

/** A pattern tries its words one after the other, so that more of them are looked up instead. */
const maxPatternWords = 200

/** A search for words ends there. */
export const maxSearchedCharacters = 262_144

/** Finds any of the literals as whole words. */
export function anyWord(literals: readonly string[], caseSensitive: boolean): Finder {
  if (literals.length <= maxPatternWords) return anyOfWords(literals, caseSensitive)
  const isOneWord = (literal: string): boolean => /^[\p{L}\p{N}_]+$/u.test(literal) && !unspaced.test(literal)
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase())
  const words = new Set(literals.filter(isOneWord).map(fold))
  const rest = literals.filter((literal) => !isOneWord(literal))
  const others = Array.from({ length: Math.ceil(rest.length / maxPatternWords) }, (_, part) =>
    anyOfWords(rest.slice(part * maxPatternWords, (part + 1) * maxPatternWords), caseSensitive),
  )
  return {
    test: (text) =>
      (fold(text).match(/[\p{L}\p{N}_]+/gu) ?? []).some((word) => words.has(word)) ||
      others.some((finder) => finder.test(text)),
    *testing(text) {
      let count = 0
      for (const [word] of fold(text.slice(0, maxSearchedCharacters)).matchAll(/[\p{L}\p{N}_]+/gu)) {
        if (words.has(word)) return true
        if (++count % wordsOfStep === 0) yield
      }
      if (text.length > maxSearchedCharacters && others.length === 0) return undefined
      return yield* anyOf(others, text)
    },
  }
}

/** A finder for each of the literals where every one is needed, or one for any of them. */
export function wordFinders(
  literals: readonly string[],
  caseSensitive = false,
  isEveryNeeded = false,
): readonly Finder[] {
  return (isEveryNeeded ? literals.map((literal) => [literal]) : [literals]).map((each) => anyWord(each, caseSensitive))
}

const wordsOfStep = 1024

function anyOfWords(literals: readonly string[], caseSensitive: boolean): Finder {
  const words = createWords(literals, caseSensitive)
  return {
    test: (text) => words.layers.some((layer) => nextMatch(layer, text, 0) !== undefined),
    *testing(text) {
      if ((yield* countWords(text.slice(0, maxSearchedCharacters), words, 1)) > 0) return true
      return text.length > maxSearchedCharacters ? undefined : false
    },
  }
}

/** Literals to find as whole words; those of symbols or unspaced scripts are found anywhere. */
export interface Words {
  readonly layers: readonly Layer[]
  readonly longest: number
}

/**
 * Literals none of which begins with another one, so that at most one of them stands at a place. Their pattern has no word
 * boundaries: the classes of letters would take 10 KB and a millisecond for each time that they stand in a pattern.
 */
interface Layer {
  readonly pattern: RegExp
  readonly literals: ReadonlyMap<string, Literal>
  readonly fold: (text: string) => string
}

interface Literal {
  readonly text: string
  /** Position among the literals. */
  readonly position: number
  /** Whether a word has to begin and to end with it. */
  readonly begins: boolean
  readonly ends: boolean
}

export function createWords(literals: readonly string[], caseSensitive: boolean): Words {
  // Texts that a pattern without regard to case takes for the same have the same fold.
  const fold = caseSensitive ? (text: string) => text : (text: string) => text.toLowerCase().toUpperCase()
  const layers: [folded: string, literal: Literal][][] = []
  // Those that the next literal may begin with, each of which begins with the one before it.
  const beginnings: string[] = []
  const sorted = [...new Set(literals)].map(
    (text, position) => [fold(text), { text, position, ...edgesOf(text) }] as const,
  )
  for (const [folded, literal] of sorted.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    while (!folded.startsWith(beginnings.at(-1) ?? "")) beginnings.pop()
    ;(layers[beginnings.length] ??= []).push([folded, literal])
    beginnings.push(folded)
  }
  return {
    layers: layers.map((layer) => ({
      pattern: literalsPattern(
        layer.map(([, literal]) => literal),
        caseSensitive,
      ),
      literals: new Map(layer),
      fold,
    })),
    longest: Math.max(...literals.map(({ length }) => length)),
  }
}

function edgesOf(literal: string): Pick<Literal, "begins" | "ends"> {
  const isSpaced = !unspaced.test(literal)
  return { begins: isSpaced && /^[\p{L}\p{N}_]/u.test(literal), ends: isSpaced && /[\p{L}\p{N}_]$/u.test(literal) }
}

/** A letter of ASCII before a word is seen by the pattern itself, which is faster; before each word, because one for all is slower. */
function literalsPattern(literals: readonly Literal[], caseSensitive: boolean): RegExp {
  const sources = literals.map(
    ({ text, begins }) => `${begins ? "(?<!\\w)" : ""}${text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}`,
  )
  const pattern = new RegExp(sources.join("|"), caseSensitive ? "gu" : "giu")
  // Engines compile a pattern when it is first used, once for texts of one byte a letter and once for others, and better when it is used again.
  for (const text of ["a", "a", "\u0430", "\u0430"]) text.replace(pattern, "")
  return pattern
}

interface Match {
  readonly index: number
  readonly end: number
  /** Position among the literals. */
  readonly literal: number
}

/** `\b` knows ASCII letters only; these also hold beside é, я and ß. */
const behindWord = /(?<=[\p{L}\p{N}_])/uy
const beforeWord = /[\p{L}\p{N}_]/uy

const isAt = (pattern: RegExp, text: string, index: number): boolean => {
  pattern.lastIndex = index
  return pattern.test(text)
}

/** The first match of a layer that begins at `from` or behind it. */
function nextMatch({ pattern, literals, fold }: Layer, text: string, from: number): Match | undefined {
  for (let start = from; ;) {
    pattern.lastIndex = start
    // Engines are faster where no match has to be told.
    if (!pattern.test(text)) return undefined
    pattern.lastIndex = start
    const match = pattern.exec(text) as RegExpExecArray
    const { 0: found, index } = match
    const end = index + found.length
    const literal = literals.get(fold(found))
    if (
      literal !== undefined &&
      !(literal.begins && isAt(behindWord, text, index)) &&
      !(literal.ends && isAt(beforeWord, text, end))
    )
      return { index, end, literal: literal.position }
    start = index + ((text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1)
  }
}

/** Reads the matches of a text from left to right; of two at one place, that of the earlier literal. */
function readMatches({ layers }: Words, text: string): (from: number) => Match | undefined {
  const waiting: (Match | undefined)[] = layers.map((layer) => nextMatch(layer, text, 0))
  return (from) => {
    let first: Match | undefined
    layers.forEach((layer, position) => {
      let match = waiting[position]
      if (match !== undefined && match.index < from) match = waiting[position] = nextMatch(layer, text, from)
      if (match === undefined) return
      const distance = first === undefined ? -1 : match.index - first.index || match.literal - first.literal
      if (distance < 0) first = match
    })
    return first
  }
}

/** What is beside a word: a character before it and one behind it. */
const aside = 2
const charactersOfPiece = 8192

/**
 * Counts the matches in a text, each behind the one before it, up to `most`. A long text is searched in pieces, which overlap by
 * what a match takes and what its boundaries look at.
 */
export function* countWords(text: string, words: Words, most = Infinity): Work<number> {
  let [count, from] = [0, 0]
  for (let start = 0; start < text.length; start += charactersOfPiece) {
    if (start > 0) yield
    const first = Math.max(0, start - aside)
    const last = start + charactersOfPiece
    const next = readMatches(words, text.slice(first, last + words.longest + aside))
    for (;;) {
      const match = next(Math.max(from, start) - first)
      if (match === undefined || first + match.index >= last) break
      from = first + match.end
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
