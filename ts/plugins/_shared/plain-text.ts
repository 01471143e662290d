// Texts as patterns read them: signs of other scripts and widths as ASCII, without what nobody sees.

import type { Place } from "./patterns/place.ts"

/** The digit 0 of each script; its nine others follow. */
const zeros = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0, 0x1810,
]
const escaped = (code: number): string => `\\u${code.toString(16).padStart(4, "0")}`
const digits = zeros.map((zero) => `${escaped(zero)}-${escaped(zero + 9)}`).join("")

/** Zero-width spaces and joiners, soft hyphens, marks of direction, variants of signs: pages and chats put them into numbers. */
const unseen = "\\u00ad\\u034f\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufe00-\\ufe0f\\ufeff"
const isUnseen = new RegExp(`[${unseen}]`)
const unseenRuns = new RegExp(`[${unseen}]+`, "g")

const spaces = "\\u115f\\u1160\\u3164\\u00a0\\u2000-\\u200a\\u202f\\u205f\\u3000"
const hyphens = "\\u2010-\\u2015\\u2212"
const otherSigns = new RegExp(
  `[${spaces}${hyphens}${digits}\\uff01-\\uff5e]+|[\\u{1d7ce}-\\u{1d7ff}\\u{e0020}-\\u{e007e}]`,
  "gu",
)
const isHyphen = new RegExp(`[${hyphens}]`)

export interface PlainText {
  readonly text: string
  /** The same place in the text that it was made from. */
  readonly placeOf: (place: Place) => Place
}

/**
 * The ways to read a text, the one that finds longer parts first. An unseen sign parts words in some scripts and is nothing
 * in others, so a text with one is read both ways.
 */
export function toPlainTexts(text: string): readonly PlainText[] {
  const plain = text.replace(otherSigns, toAscii)
  if (!isUnseen.test(plain)) return [{ text: plain, placeOf: (place) => place }]
  const parted = plain.replace(unseenRuns, (run) => " ".repeat(run.length))
  return [withoutUnseen(plain), { text: parted, placeOf: (place) => place }]
}

/** As long as what it replaces, so that places hold: the second half of a digit or tag of two code units becomes unseen. */
function toAscii(run: string): string {
  const first = run.codePointAt(0) ?? 0
  if (first >= 0xe0000) return `${String.fromCharCode(first - 0xe0000)}\u200b`
  if (first > 0xffff) return `${(first - 0x1d7ce) % 10}\u200b`
  let ascii = ""
  for (let index = 0; index < run.length; index++) ascii += signOf(run.charCodeAt(index))
  return ascii
}

function signOf(code: number): string {
  if (code >= 0xff01) return String.fromCharCode(code - 0xfee0)
  const zero = zeros.findLast((each) => each <= code) ?? 0
  if (code - zero < 10) return String(code - zero)
  return isHyphen.test(String.fromCharCode(code)) ? "-" : " "
}

function withoutUnseen(text: string): PlainText {
  /** Where the parts between unseen signs begin, in the shorter text and in this one. */
  const [short, long]: [number[], number[]] = [[0], [0]]
  let removed = 0
  for (const { 0: run, index } of text.matchAll(unseenRuns)) {
    short.push(index - removed)
    removed += run.length
    long.push(index + run.length)
  }
  const placeOfSign = (position: number): number => {
    let [low, high] = [0, short.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((short[middle] ?? Infinity) > position) high = middle
      else low = middle + 1
    }
    return (long[low - 1] ?? 0) + position - (short[low - 1] ?? 0)
  }
  return {
    text: text.replace(unseenRuns, ""),
    // Up to the last sign, not to the one behind it: what stands between them is no part of the place.
    placeOf: ({ start, end }) => ({ start: placeOfSign(start), end: placeOfSign(end - 1) + 1 }),
  }
}
