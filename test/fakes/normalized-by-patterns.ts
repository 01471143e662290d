// What normalizing makes of a short text, said in patterns: the measure of the faster way through tables.

import type { NormalizedText, TextRange } from "rtr"

/** A part of a text and what stands there instead. */
interface Edit extends TextRange {
  readonly instead: string
}

/** Edits a text that was edited before; spans still lead to the first one. The edits do not overlap. */
function editAgain(before: NormalizedText, edits: readonly Edit[]): NormalizedText {
  if (edits.length === 0) return before
  const after = applyEdits(
    before.text,
    edits.toSorted((a, b) => a.start - b.start),
  )
  return { text: after.text, sourceSpan: (span) => before.sourceSpan(after.sourceSpan(span)) }
}

/** Applies edits, which are in order and do not overlap. */
function applyEdits(text: string, edits: readonly Edit[]): NormalizedText {
  if (edits.length === 0) return { text, sourceSpan: (span) => span }
  const parts: string[] = []
  /** Where each edit begins in the new text. */
  const starts: number[] = []
  let [read, written] = [0, 0]
  for (const { start, end, instead } of edits) {
    parts.push(text.slice(read, start), instead)
    written += start - read
    starts.push(written)
    written += instead.length
    read = end
  }
  parts.push(text.slice(read))
  const characterAt = (position: number): TextRange => {
    const index = lastAtMost(starts, position)
    const [edit, start] = [edits[index], starts[index]]
    if (edit === undefined || start === undefined) return { start: position, end: position + 1 }
    if (position < start + edit.instead.length) return edit
    const source = edit.end + position - start - edit.instead.length
    return { start: source, end: source + 1 }
  }
  return {
    text: parts.join(""),
    // Up to the last character, not to the one behind it: what stands between them is no part of the span.
    sourceSpan: ({ start, end }) => ({
      start: characterAt(start).start,
      end: characterAt(Math.max(start, end - 1)).end,
    }),
  }
}

/** Position of the last number that is at most `limit`; -1 where there is none. The numbers are in order. */
function lastAtMost(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? Infinity) > limit) high = middle
    else low = middle + 1
  }
  return low - 1
}

const isPlainAscii = /^[\t\n\r -~]*$/

/** Letters and digits in circles, squares and brackets are symbols to Unicode, and so are the letters of flags and radicals. */
const enclosed =
  "\\u{1f100}-\\u{1f189}\\u{1f1e6}-\\u{1f1ff}\\u249c-\\u24ff\\u2776-\\u2793\\u2f00-\\u2fd5\\u3200-\\u33ff\\u{1f200}-\\u{1f265}"
/** ASCII in other widths, and the characters that stand for a hyphen. */
const otherForms = "\\uff01-\\uff5e\\ufe50-\\ufe6b\\u2010-\\u2012\\u2212\\u2044"
/** Tag characters, which show nothing and spell ASCII. */
const tags = "\\u{e0020}-\\u{e007e}"
/** Hangul fillers and the braille character without dots: blank, but letters or characters to a tokenizer. */
const blanks = "\\u115f\\u1160\\u3164\\uffa0\\u2800"
/** Punctuation beyond ASCII that writers use and vocabularies have. */
const ordinary =
  "\\u00a1-\\u00bf\\u2010-\\u2016\\u2018-\\u201a\\u201c-\\u201e\\u2020-\\u2022\\u2026\\u2030\\u2032\\u2033\\u203a\\u3001\\u3002\\u3008-\\u300f\\u301c\\u30fb"
/** Characters of no script carry no words: pictographs, arrows, boxes, mathematics. Money stays, for patterns look for it. */
const symbol = `(?![\\0-\\x7f${enclosed}${otherForms}\\p{Sc}])(?=\\p{sc=Common})\\p{S}`
/** Line and page breaks of old. */
const breaks = "\\v\\f\\u0085"
const oddPunctuation = `(?![\\0-\\x7f${ordinary}${otherForms}])\\p{P}`
/** What joins pictographs, and what is put over or around a character. */
const joints = "\\u200d\\ufe0e\\ufe0f\\p{Me}"

const odd = new RegExp(
  [
    `(?<letters>(?:(?![\\0-\\x7f])[\\p{L}\\p{N}${enclosed}${otherForms}${tags}${blanks}])+)`,
    `(?:(?:${symbol}|${oddPunctuation}|[${breaks}])[${joints}]*)+`,
    `\\p{Me}+`,
  ].join("|"),
  "gu",
)

/** The text with every character in its plain form; characters that carry no words become one space. */
function normalizeText(text: string): NormalizedText {
  if (isPlainAscii.test(text)) return applyEdits(text, [])
  const edits: Edit[] = []
  for (const { 0: found, index, groups } of text.matchAll(odd)) {
    if (groups?.["letters"] === undefined) {
      // What encloses a digit or a letter leaves it where it stands.
      const instead = /^\p{Me}/u.test(found) ? "" : " "
      edits.push({ start: index, end: index + found.length, instead })
      continue
    }
    let start = index
    for (const character of found) {
      const [end, instead] = [start + character.length, plainForm(character)]
      if (instead !== character) edits.push({ start, end, instead })
      start = end
    }
  }
  return applyEdits(text, edits)
}

/** Special tokens of tokenizers; in a user's text they are words. */
const specialTokens =
  /\[(?=(?:CLS|SEP|PAD|UNK|MASK)\])|<(?=\/?(?:s|pad|unk|mask|bos|eos|cls|sep)>|\|[a-z_0-9]{1,40}\|>)/g
const money = /(?:(?![\0-\x7f])\p{Sc})+/gu
/** WordPiece takes a word of more characters for unknown, whatever it says. */
const maxWordCharacters = 100
const inWord = "[^\\s\\p{P}$+<=>^`|~]"
const longWords = new RegExp(`${inWord}{${maxWordCharacters + 1},}`, "gu")

/** The text for a model that must not miss a word: normalized, without special tokens of the tokenizer and without endless words. */
export function normalizedByPatterns(text: string): NormalizedText {
  const plain = normalizeText(text)
  const written = editAgain(plain, [
    ...editsOf(plain.text, specialTokens, () => "("),
    ...(isPlainAscii.test(plain.text) ? [] : editsOf(plain.text, money, () => " ")),
  ])
  return editAgain(written, cutsOf(written.text))
}

/** The plain form of a letter, a digit or a character that stands for one. */
function plainForm(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code >= 0xe0020 && code <= 0xe007e) return String.fromCharCode(code - 0xe0000)
  if (blankCharacters.has(code)) return " "
  if (hyphens.has(code)) return "-"
  if (code === 0x2044) return "/"
  const counted = enclosedCounts.find(([first, last]) => code >= first && code <= last)
  if (counted !== undefined) return String(code - counted[0] + counted[2])
  const lettered = enclosedAlphabets.find((first) => code >= first && code < first + 26)
  if (lettered !== undefined) return String.fromCharCode(0x61 + code - lettered)
  return character.normalize("NFKC").replaceAll("\u2044", "/")
}

const blankCharacters: ReadonlySet<number> = new Set([0x115f, 0x1160, 0x3164, 0xffa0, 0x2800])
const hyphens: ReadonlySet<number> = new Set([0x2010, 0x2011, 0x2012, 0x2212])
/** White letters on black, and the letters of flags: Unicode gives them no plain form. */
const enclosedAlphabets = [0x1f150, 0x1f170, 0x1f1e6]
/** Numbers in circles without a plain form: the first character, the last one, and the number that the first shows. */
const enclosedCounts: readonly (readonly [first: number, last: number, number: number])[] = [
  [0x2776, 0x277f, 1],
  [0x2780, 0x2789, 1],
  [0x278a, 0x2793, 1],
  [0x24eb, 0x24f4, 11],
  [0x24f5, 0x24fe, 1],
  [0x24ff, 0x24ff, 0],
  [0x1f10b, 0x1f10b, 0],
  [0x1f10c, 0x1f10c, 0],
]

function editsOf(text: string, pattern: RegExp, instead: (found: string) => string): readonly Edit[] {
  return Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
    instead: instead(found),
  }))
}

/** Spaces in words that are too long. */
function cutsOf(text: string): readonly Edit[] {
  return Array.from(text.matchAll(longWords)).flatMap(({ 0: word, index }) => {
    const cuts: Edit[] = []
    const characters = Array.from(word)
    let position = index
    for (let first = 0; first + maxWordCharacters < characters.length; first += maxWordCharacters) {
      position += characters.slice(first, first + maxWordCharacters).join("").length
      cuts.push({ start: position, end: position, instead: " " })
    }
    return cuts
  })
}
