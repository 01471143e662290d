// Words in other letters (rot13, atbash, alphabets that are shifted), and words that are written backwards.

import { type Cipher, ciphers, type Range, shiftedBy } from "./gains.ts"
import { bitsOf, isEnglish, letterOf } from "./letter-pairs.ts"
import type { Segment } from "./segment.ts"

/** Parts that read like words with the letters of one cipher. */
export function decipher(text: string, ranges: readonly Range[]): readonly Segment[] {
  return ranges.flatMap((range): readonly Segment[] => {
    const { start, end } = toWords(text, range)
    const plain = ciphers.map((cipher) => withLetters(text.slice(start, end), cipher)).find(isEnglish)
    return plain === undefined ? [] : [{ start, end, plain }]
  })
}

/** Parts that read like words with each letter so many places on. `ranges` are unlike words as they stand. */
export function shiftBack(text: string, ranges: readonly Range[]): readonly Segment[] {
  return ranges.flatMap((range): readonly Segment[] => {
    const unlike = text.slice(range.start, range.end)
    if (new Set(unlike).size < fewestSigns) return []
    const { start, end } = toWords(text, range)
    const plain = withLetters(text.slice(start, end), shiftedBy(likeliestShift(unlike)))
    return isEnglish(plain) ? [{ start, end, plain }] : []
  })
}

/** A row of the same letters may read like one of others. */
const fewestSigns = 8
/** So many characters tell the shift of all. */
const telling = 128

function likeliestShift(part: string): number {
  const letters = Array.from(part.slice(0, telling), (sign) => letterOf[sign.charCodeAt(0)] ?? 0)
  let [best, least] = [0, Infinity]
  for (let places = 1; places < 26; places++) {
    let [said, before] = [0, 0]
    for (const letter of letters.map(shiftedBy(places))) {
      said += bitsOf(before, letter)
      before = letter
    }
    if (said < least) [best, least] = [places, said]
  }
  return best
}

/** Parts that read like words backwards: as a whole, and each word in its place. */
export function turnRound(text: string, ranges: readonly Range[]): readonly (readonly Segment[])[] {
  const [whole, words]: [Segment[], Segment[]] = [[], []]
  for (const range of ranges) {
    const { start, end } = toWords(text, range)
    const plain = reversed(text.slice(start, end))
    if (!isEnglish(plain)) continue
    whole.push({ start, end, plain })
    words.push({ start, end, plain: plain.split(/(\s+)/).toReversed().join("") })
  }
  return [whole, words]
}

const reversed = (text: string): string => Array.from(text).toReversed().join("")

/** A change may gain nothing at the ends of the first and last word, and something by chance in a line beside. */
function toWords(text: string, { start, end }: Range): Range {
  const before = text.slice(Math.max(0, start - nearLine), start + nearLine).lastIndexOf("\n")
  let from = before === -1 ? start : Math.max(0, start - nearLine) + before + 1
  while (from > 0 && start - from < longestWord && !isBlank(text, from - 1)) from--
  const near = Math.max(from, end - nearLine)
  const behind = `${text.slice(near, end + nearLine)}${end + nearLine >= text.length ? "\n" : ""}`.indexOf("\n")
  let to = near + behind
  if (behind === -1) {
    to = end
    while (to < text.length && to - end < longestWord && !isBlank(text, to)) to++
  }
  while (from < to && isBlank(text, from)) from++
  return { start: from, end: to }
}

/** So near to the end of a line, a part goes to that end. */
const nearLine = 12
const longestWord = 24
const isBlank = (text: string, index: number): boolean => text.charCodeAt(index) <= 0x20

const withLetters = (text: string, change: Cipher): string =>
  text.replaceAll(/[a-z]/gi, (sign) => {
    const code = sign.charCodeAt(0)
    return String.fromCharCode((code & 0x60) + change(letterOf[code] as number))
  })

export const rot13 = (text: string): string => withLetters(text, ciphers[0])
