// A text without its data: pictures, archives and keys in base64 or hexadecimal. Models read hundreds of tokens in a line of
// them and no word, and what decodes to a text is read as a view of its own.

import { type MaybePromise, type NormalizedText, type TextRange, type Work, workOn } from "../../../kernel/index.ts"
import { englishBits } from "../disguise/letter-pairs.ts"
import { withLetters } from "../disguise/respelt.ts"

/** Base64 or hexadecimal digits, in one piece or in lines of one length; shorter ones are keys, ids and checksums. */
const run = /(?<![\w+/-])[\w+/-]{48,}(?:\r?\n[\w+/-]{48,})*/g
const fewestCharacters = 256
const mayBeData = /[\w+/-]{48}/

/** Of its characters, so many are digits; in words without blanks fewer are. */
const shareOfDigits = 1 / 32

/** English without blanks says up to 6 bits with each letter, base64 from 6.2 on. */
const mostBits = 6.1
/** The same once digits are letters again, of fewer kinds. */
const mostBitsOfSpelt = 5.8
const charactersOfPart = 64

/** What stands in the place of data. */
const instead = " … "

/** Asks a model about a text without its data. */
export function askWithoutData<Answer>(text: string, ask: (short: NormalizedText) => Promise<Answer>): Promise<Answer> {
  const short = withoutData(text)
  // Asked without a pause where nothing has to be sought, so that all questions are in one call.
  return short instanceof Promise ? short.then(ask) : ask(short)
}

/** The text without the parts of its data that read like no words, and the way back for spans. A promise for a long text. */
export const withoutData = (text: string): MaybePromise<NormalizedText> =>
  text.length >= fewestCharacters && mayBeData.test(text) ? workOn(text, leavingOut(text)) : unchanged(text)

function* leavingOut(text: string): Work<NormalizedText> {
  const left: TextRange[] = []
  for (const { 0: found, index } of text.matchAll(run)) {
    if (found.length >= fewestCharacters && hasDigits(found)) yield* findData(left, found, index)
    yield
  }
  if (left.length === 0) return unchanged(text)
  let [short, at] = ["", 0]
  for (const { start, end } of left) {
    short += text.slice(at, start) + instead
    at = end
  }
  return { text: short + text.slice(at), sourceSpan: toSource(left) }
}

/** Parts overlap by half. One that has words keeps all its characters. */
function* findData(data: TextRange[], found: string, offset: number): Work<void> {
  const add = (start: number, end: number): void => {
    if (end - start >= charactersOfPart) data.push({ start: offset + start, end: offset + end })
  }
  // Hexadecimal digits would look like words of few letters.
  const spelt = /[g-z_/+-]/i.test(found) ? withLetters(found) : found
  const hasWords = (start: number): boolean =>
    englishBits(found.slice(start, start + charactersOfPart)) <= mostBits ||
    (spelt !== found && englishBits(spelt.slice(start, start + charactersOfPart)) <= mostBitsOfSpelt)
  const last = found.length - charactersOfPart
  let from = 0
  for (let start = 0; start <= last; start += charactersOfPart / 2) {
    if (start % charactersOfStep === 0) yield
    if (!hasWords(start)) continue
    add(from, start)
    from = start + charactersOfPart
  }
  add(from, hasWords(last) ? last : found.length)
}

const charactersOfStep = 4096

function hasDigits(found: string): boolean {
  const digits = found.match(/\d/g)?.length ?? 0
  return digits >= found.length * shareOfDigits && digits < found.length
}

const unchanged = (text: string): NormalizedText => ({ text, sourceSpan: (span) => span })

/** A span that touches what stands instead of data ends before or begins behind it. */
function toSource(left: readonly TextRange[]): NormalizedText["sourceSpan"] {
  return ({ start, end }) => {
    const from = sourceOf(left, start)
    return { start: from.end, end: Math.max(from.end, sourceOf(left, end).start) }
  }
}

/** Where a position of the short text was; of one within what stands instead, both ends of the data. */
function sourceOf(left: readonly TextRange[], position: number): TextRange {
  let moved = 0
  for (const { start, end } of left) {
    const here = start - moved
    if (position <= here) break
    if (position < here + instead.length) return { start, end }
    moved += end - start - instead.length
  }
  return { start: position + moved, end: position + moved }
}
