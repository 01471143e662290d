// Texts as patterns read them: characters of other scripts as ASCII, without invisible ones.

import { normalizeText, type NormalizedText } from "../../kernel/index.ts"

/** The digit 0 of each script; its nine others follow. */
const zeros = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0, 0x1810,
]
const escaped = (code: number): string => `\\u${code.toString(16).padStart(4, "0")}`
const digits = zeros.map((zero) => `${escaped(zero)}-${escaped(zero + 9)}`).join("")

/** Zero-width spaces and joiners, soft hyphens, marks of direction, variants of signs: pages and chats put them into numbers. */
const unseen =
  "\\u00ad\\u034f\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufe00-\\ufe0f\\ufeff\\u{e0100}-\\u{e01ef}"
const isUnseen = new RegExp(`[${unseen}]`, "u")
const unseenRuns = new RegExp(`[${unseen}]+`, "gu")

const spaces = "\\u00a0\\u2000-\\u200a\\u202f\\u205f\\u3000"
const hyphens = "\\u2010-\\u2015\\u2212"
const otherSigns = new RegExp(`[${spaces}${hyphens}${digits}]+`, "g")
const isHyphen = new RegExp(`[${hyphens}]`)

/**
 * The ways to read a text, the one that finds longer parts first. An unseen sign parts words in some scripts and is nothing
 * in others, so a text with one is read both ways. One whose signs have plain forms is read as it stands as well: the raised
 * number of a footnote would make another number of the one before it.
 */
export function toPlainTexts(text: string): readonly NormalizedText[] {
  const plain = normalizeText(text)
  return (plain.text === text ? [plain] : [plain, asWritten(text)]).flatMap(inAscii)
}

const asWritten = (text: string): NormalizedText => ({ text, sourceSpan: (span) => span })

function inAscii({ text, sourceSpan }: NormalizedText): readonly NormalizedText[] {
  const plain = text.replace(otherSigns, toAscii)
  if (!isUnseen.test(plain)) return [{ text: plain, sourceSpan }]
  const parted = plain.replace(unseenRuns, (run) => " ".repeat(run.length))
  const joined = withoutUnseen(plain)
  return [
    { text: joined.text, sourceSpan: (span) => sourceSpan(joined.sourceSpan(span)) },
    { text: parted, sourceSpan },
  ]
}

/** As long as what it replaces, so that spans hold. */
function toAscii(run: string): string {
  let ascii = ""
  for (let index = 0; index < run.length; index++) ascii += signOf(run.charCodeAt(index))
  return ascii
}

function signOf(code: number): string {
  const zero = zeros.findLast((each) => each <= code) ?? 0
  if (code - zero < 10) return String(code - zero)
  return isHyphen.test(String.fromCharCode(code)) ? "-" : " "
}

function withoutUnseen(text: string): NormalizedText {
  /** Where the parts between unseen signs begin, in the shorter text and in this one. */
  const [short, long]: [number[], number[]] = [[0], [0]]
  let removed = 0
  for (const { 0: run, index } of text.matchAll(unseenRuns)) {
    short.push(index - removed)
    removed += run.length
    long.push(index + run.length)
  }
  const sourcePosition = (position: number): number => {
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
    // Up to the last character, not to the one behind it: what stands between them is no part of the span.
    sourceSpan: ({ start, end }) => ({ start: sourcePosition(start), end: sourcePosition(end - 1) + 1 }),
  }
}
