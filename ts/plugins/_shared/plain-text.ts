// Texts as patterns read them: characters of other scripts as ASCII, without invisible ones.

import { type NormalizedText, normalizing, type Work } from "../../kernel/index.ts"

/** The digit 0 of each script; its nine others follow. */
const zeros = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0, 0x1810,
]
const spaces = [0xa0, ...range(0x2000, 0x200a), 0x202f, 0x205f, 0x3000]
const hyphens = [...range(0x2010, 0x2015), 0x2212]

/** ASCII by the character that it stands for. Each is one code unit, so that places stay the same. */
const asciiOf: ReadonlyMap<string, string> = new Map([
  ...zeros.flatMap((zero) =>
    range(zero, zero + 9).map((code) => [String.fromCharCode(code), String(code - zero)] as const),
  ),
  ...spaces.map((code) => [String.fromCharCode(code), " "] as const),
  ...hyphens.map((code) => [String.fromCharCode(code), "-"] as const),
])
const otherSign = new RegExp(`[${[...asciiOf.keys()].map(escaped).join("")}]`, "g")

/**
 * What no page shows: zero-width spaces and joiners, soft hyphens, marks of direction, variants of signs, tags, fillers, and control
 * characters other than line breaks and tabs. Pages and chats put them into numbers, and whoever wants to hide one.
 */
const unseen =
  "\\p{Default_Ignorable_Code_Point}\\u2800\\ufff9-\\ufffb\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u0084\\u0086-\\u009f"
const isUnseen = new RegExp(`[${unseen}]`, "u")
/** Of a bounded length, because a longer one is one match that nothing can interrupt. */
const unseenRun = new RegExp(`[${unseen}]{1,1024}`, "gu")

/**
 * The ways to read a text, the one that finds longer parts first. An unseen sign parts words in some scripts and is nothing
 * in others, so a text with one is read both ways. One whose signs have plain forms is read as it stands as well: the raised
 * number of a footnote would make another number of the one before it.
 */
export function* toPlainTexts(text: string): Work<readonly NormalizedText[]> {
  const plain = yield* normalizing(text)
  if (plain.text === text) return yield* inAscii(plain)
  return [...(yield* inAscii(plain)), ...(yield* inAscii(asWritten(text)))]
}

const asWritten = (text: string): NormalizedText => ({ text, sourceSpan: (span) => span })

function* inAscii({ text, sourceSpan }: NormalizedText): Work<readonly NormalizedText[]> {
  const plain = yield* replacedInPieces(text, (piece) => piece.replace(otherSign, (sign) => asciiOf.get(sign) ?? sign))
  if (!isUnseen.test(plain)) return [{ text: plain, sourceSpan }]
  const parted = yield* replacedInPieces(plain, (piece) => piece.replace(unseenRun, (run) => " ".repeat(run.length)))
  const joined = yield* withoutUnseen(plain)
  return [
    { text: joined.text, sourceSpan: (span) => sourceSpan(joined.sourceSpan(span)) },
    { text: parted, sourceSpan },
  ]
}

const charactersOfPiece = 4096

/** Replaces in pieces of a text, none of which ends in half a character. */
function* replacedInPieces(text: string, replace: (piece: string) => string): Work<string> {
  const pieces: string[] = []
  for (let start = 0; start < text.length;) {
    let end = start + charactersOfPiece
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end += 1
    pieces.push(replace(text.slice(start, end)))
    start = end
    if (start < text.length) yield
  }
  return pieces.join("")
}

function* withoutUnseen(text: string): Work<NormalizedText> {
  /** Where the parts between unseen signs begin, in the shorter text and in this one. */
  const [short, long]: [number[], number[]] = [[0], [0]]
  const parts: string[] = []
  let removed = 0
  for (const { 0: run, index } of text.matchAll(unseenRun)) {
    if (short.length % runsOfStep === 0) yield
    parts.push(text.slice(long.at(-1), index))
    short.push(index - removed)
    removed += run.length
    long.push(index + run.length)
  }
  parts.push(text.slice(long.at(-1)))
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
    text: parts.join(""),
    // Up to the last character, not to the one behind it: what stands between them is no part of the span.
    sourceSpan: ({ start, end }) => ({ start: sourcePosition(start), end: sourcePosition(end - 1) + 1 }),
  }
}

const runsOfStep = 512

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`
}
