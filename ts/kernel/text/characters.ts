// What each character is to readers that know fewer of them than backends do, and its plain form.

/** What normalizing makes of a character. */
export const kept = 1
/** It has a plain form. */
export const formed = 2
/** It carries no words: it becomes a space, with others like it beside it and what joins or encloses them. */
export const symbol = 3
/** It is put around a character, which stays where it is. */
export const encloser = 4
/** It joins symbols; elsewhere it stays. */
export const joint = 5
export const kindMask = 7

/** It stands in words, as tokenizers see them. */
export const inWord = 8
/** It is a sign of money. */
export const money = 16
/** A text with it says something. */
export const says = 32
/** Readers see it: pictographs too, and no blank. */
export const shows = 64

/** By code point, 0 where nobody asked yet. A look into this table takes a hundredth of the time of the patterns. */
const table = new Uint8Array(0x110000)

/** One of the kinds above, and the bits that hold. */
export function traitsOf(code: number): number {
  const known = table[code] as number
  return known === 0 ? (table[code] = findTraits(String.fromCodePoint(code))) : known
}

const forms = new Map<number, string>()

/** The plain form of a character that has one. */
export function plainFormOf(code: number): string {
  const known = forms.get(code)
  if (known !== undefined) return known
  const form = plainForm(String.fromCodePoint(code))
  forms.set(code, form)
  return form
}

/** Letters and digits in circles, squares and brackets are symbols to Unicode, and so are the letters of flags and radicals. */
const enclosed =
  "\\u{1f100}-\\u{1f189}\\u{1f1e6}-\\u{1f1ff}\\u249c-\\u24ff\\u2776-\\u2793\\u2f00-\\u2fd5\\u3200-\\u33ff\\u{1f200}-\\u{1f265}"
/** Characters that stand for a hyphen. */
const hyphens = "\u2010\u2011\u2012\u2212"
/** ASCII in other widths, hyphens, and the slash of fractions. */
const otherForms = `\\uff01-\\uff5e\\ufe50-\\ufe6b${hyphens}\\u2044`
/** Tag characters, which show nothing and spell ASCII. */
const tags = "\\u{e0020}-\\u{e007e}"
/** Hangul fillers and the braille character without dots: blank, but letters or characters to a tokenizer. */
const blanks = "\u115f\u1160\u3164\uffa0\u2800"
/** Punctuation beyond ASCII that writers use and vocabularies have. */
const ordinary =
  "\\u00a1-\\u00bf\\u2010-\\u2016\\u2018-\\u201a\\u201c-\\u201e\\u2020-\\u2022\\u2026\\u2030\\u2032\\u2033\\u203a\\u3001\\u3002\\u3008-\\u300f\\u301c\\u30fb"

const isLetter = new RegExp(`^(?![\\0-\\x7f])[\\p{L}\\p{N}${enclosed}${otherForms}${tags}${blanks}]`, "u")
/** Characters of no script carry no words: pictographs, arrows, boxes, mathematics. Money stays, for patterns look for it. */
const isSymbol = /^(?![\0-\x7f\p{Sc}])(?=\p{sc=Common})\p{S}/u
const isOddPunctuation = new RegExp(`^(?![\\0-\\x7f${ordinary}])\\p{P}`, "u")
/** Line and page breaks of old, which tokenizers delete: the words beside them would be one. */
const breaks = "\v\f\u0085"
const isEncloser = /^\p{Me}/u
const isJoint = /^(?:\u200d|\ufe0e|\ufe0f)/
const isOfWord = /^[^\s\p{P}$+<=>^`|~]/u
const isMoney = /^(?![\0-\x7f])\p{Sc}/u
const saysSomething = /[^\s\p{C}\p{M}]/u
const isSeen = new RegExp(`^[^\\s\\p{C}\\p{M}\\p{Z}${blanks}]`, "u")

function findTraits(character: string): number {
  const kind = kindOf(character)
  const made = kind === formed ? plainForm(character) : kind === kept || kind === joint ? character : ""
  return (
    kind +
    (isOfWord.test(character) ? inWord : 0) +
    (isMoney.test(character) ? money : 0) +
    (saysSomething.test(made) ? says : 0) +
    (isSeen.test(character) ? shows : 0)
  )
}

function kindOf(character: string): number {
  if (isLetter.test(character)) return plainForm(character) === character ? kept : formed
  // Outlined letters are symbols to Unicode, and letters to whoever reads them.
  if (isSymbol.test(character)) return /^[A-Za-z0-9]$/.test(plainForm(character)) ? formed : symbol
  if (isOddPunctuation.test(character) || breaks.includes(character)) return symbol
  if (isEncloser.test(character)) return encloser
  return isJoint.test(character) ? joint : kept
}

function plainForm(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code >= 0xe0020 && code <= 0xe007e) return String.fromCharCode(code - 0xe0000)
  if (blanks.includes(character)) return " "
  if (hyphens.includes(character)) return "-"
  const counted = enclosedCounts.find(([first, last]) => code >= first && code <= last)
  if (counted !== undefined) return String(code - counted[0] + counted[2])
  const lettered = enclosedAlphabets.find((first) => code >= first && code < first + 26)
  if (lettered !== undefined) return String.fromCharCode(0x61 + code - lettered)
  return character.normalize("NFKC").replaceAll("\u2044", "/")
}

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
