// How much of a text a model read: no answer may stand for words that its vocabulary has nothing for.

import { RtrError } from "../error.ts"
import type { MaybePromise } from "../types/module-base.ts"
import type { PartialCoverage, TokenCounts } from "../types/inference.ts"
import type { NormalizedText } from "./edited-text.ts"
import { isLanguageName } from "./language-names.ts"
import { hasText } from "./normalize.ts"

/** Asks a model about a text as it is given. */
type Ask<Answer> = (text: string) => Promise<Answer>

/** Normalizes a text, once for all who ask about it. A promise for a long text. */
type Normalize = (text: string) => MaybePromise<NormalizedText>

/**
 * Most characters of a text that is read whole: 16 for each of the 32,768 tokens that models usually scan. The length alone
 * says that a longer one is not read, before anything is done with it.
 */
const maxWholeCharacters = 524_288

/** Most characters of a beginning: 16 for each of the 8,192 tokens of the longest input. */
const maxBeginningCharacters = 131_072

interface Counted {
  readonly counts?: TokenCounts
}

export interface CoveredAnswer<Answer> extends PartialCoverage {
  readonly answer: Answer
  /** From a span of what was read to the span of the text. */
  readonly sourceSpan: NormalizedText["sourceSpan"]
}

/**
 * For a guard: it reads the normalized text, and words that its model did not see make the coverage partial, unless they are
 * too few to say anything: a word of another script that somebody asks about, a name in a list of authors, or the spinner of
 * a program.
 */
export async function askWhole<Answer extends Counted>(
  text: string,
  ask: Ask<Answer>,
  normalize: Normalize,
): Promise<CoveredAnswer<Answer>> {
  refuseTooLong(text)
  // Without a pause for a short text, so that every signal that asks at once is in one call.
  const made = normalize(text)
  const { text: normalized, sourceSpan } = made instanceof Promise ? await made : made
  // One character may have a plain form of eighteen.
  refuseTooLong(normalized)
  if (!hasText(normalized)) throw unreadWords("no word of the text")
  const answer = await ask(normalized)
  const unknown = answer.counts?.unknownTokens ?? 0
  const isPartial = unknown > 0 && !areFewLetters(normalized, unknown)
  return { answer, sourceSpan, ...(isPartial && { truncated: unreadWords("a part of the text") }) }
}

/** A longer text with unread words is always unscanned. */
const mostCharacters = 40_000
/** In so many characters of a text, only so many letters: "ignore it" has eight, and says too little without words around it. */
const nearby = 4000
const mostLetters = 12
/** A sign of a script of syllables or words says about as much as four letters. */
const lettersOfSign = 4
/** Words, and signs of other scripts that are no part of one, such as patterns of dots. */
const wordOrSign = /[\p{L}\p{M}\p{N}]+|[^\p{sc=Latin}\p{sc=Common}\p{sc=Inherited}]|[\u2800-\u28ff]/gu
const otherScript = /[^\p{sc=Latin}\p{sc=Common}\p{sc=Inherited}]|[\u2800-\u28ff]/u
const latin = /\p{sc=Latin}/u
/** Letters that look at home in Latin words, and that hide the whole word from a vocabulary that lacks them. */
const rareLetter =
  /(?=\p{L})(?![A-Za-z\u00aa\u00b5\u00ba\u00c0-\u0131\u0134-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e\u0192\u1e00-\u1e99\u1ea0-\u1ef9])[\p{sc=Latin}\p{sc=Common}]/u
const wholeSyllable =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Ethiopic}\p{sc=Cherokee}\p{sc=Yi}\p{sc=Vai}]/u

/**
 * Whether the `unknown` words of a text can all be a few words of other scripts here and there, or names of languages. A word
 * that mixes scripts is none of them: one letter would hide the rest of it.
 */
function areFewLetters(text: string, unknown: number): boolean {
  if (text.length > mostCharacters || rareLetter.test(text)) return false
  const near: { readonly index: number; readonly letters: number }[] = []
  let [signs, letters] = [0, 0]
  for (const { index, 0: word } of text.matchAll(wordOrSign)) {
    if (!otherScript.test(word)) continue
    if (latin.test(word)) return false
    const written = Array.from(word)
    signs += written.length
    if (isLanguageName(word)) continue
    const ofWord = lettersOf(written)
    near.push({ index, letters: ofWord })
    letters += ofWord
    while (index - (near[0]?.index ?? index) >= nearby) letters -= near.shift()?.letters ?? 0
    if (letters > mostLetters) return false
  }
  return unknown <= signs
}

const lettersOf = (signs: readonly string[]): number =>
  signs.reduce((sum, sign) => sum + (wholeSyllable.test(sign) ? lettersOfSign : 1), 0)

/**
 * For the others: most of a text says what it is about. It is read as it stands, which is how models learn it, and
 * normalized where the model sees little of that. Rejects where it sees less than half even so.
 */
export async function askMostly<Answer extends Counted>(
  whole: string,
  ask: Ask<Answer>,
  normalize: Normalize,
): Promise<CoveredAnswer<Answer>> {
  const text = beginningOf(whole, maxBeginningCharacters)
  if (!hasText(text)) throw unreadWords("no word of the text")
  const asWritten = await ask(text)
  if (!isMostlyUnknown(asWritten)) return { answer: asWritten, sourceSpan: (span) => span }
  const { text: normalized, sourceSpan } = await normalize(text)
  const answer = normalized === text ? asWritten : await ask(normalized)
  if (isMostlyUnknown(answer)) throw unreadWords("less than half of the text")
  return { answer, sourceSpan }
}

function refuseTooLong({ length }: string): void {
  if (length > maxWholeCharacters)
    throw new RtrError(
      "max_length_exceeded",
      `Cannot read ${length} characters to their end; at most ${maxWholeCharacters} are read`,
    )
}

/** The first characters, without half of one. */
function beginningOf(text: string, max: number): string {
  if (text.length <= max) return text
  const isHalf = (text.charCodeAt(max - 1) & 0xfc00) === 0xd800
  return text.slice(0, isHalf ? max - 1 : max)
}

function isMostlyUnknown({ counts }: Counted): boolean {
  if (counts === undefined) return false
  const { tokens, specialTokens, unknownTokens } = counts
  const ofText = tokens - specialTokens
  return ofText <= 0 || unknownTokens * 2 > ofText
}

const unreadWords = (read: string): RtrError =>
  new RtrError("unread_words", `Cannot tell from the model's answer: its vocabulary lets it see ${read}`)
