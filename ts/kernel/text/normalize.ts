// Normalizes texts for readers that know fewer characters than backends do: the tokenizers of models, and patterns.

import type { MaybePromise } from "../types/module-base.ts"
import {
  encloser,
  formed,
  inWord,
  joint,
  kept,
  kindMask,
  money,
  plainFormOf,
  says,
  shows,
  symbol,
  traitsOf,
} from "./characters.ts"
import { editedTwice, editText, type NormalizedText, unchanged } from "./edited-text.ts"
import { finish, type Work } from "../host/work.ts"
import { workOn } from "./slices.ts"

/** A step takes microseconds; milliseconds where every character is met for the first time. */
const charactersOfStep = 1024

const isPlainAscii = /^[\t\n\r -~]*$/

/** The text with every character in its plain form; characters that carry no words become one space. At once, so for short texts. */
export const normalizeText = (text: string): NormalizedText => finish(normalizing(text))

/** The same in steps, for a text of any length. */
export function* normalizing(text: string): Work<NormalizedText> {
  if (isPlainAscii.test(text)) return unchanged(text)
  const editor = editText(text)
  let runStart = -1
  for (let index = 0, pause = charactersOfStep; index < text.length;) {
    if (index >= pause) {
      yield
      pause = index + charactersOfStep
    }
    const code = text.codePointAt(index) as number
    const end = index + (code > 0xffff ? 2 : 1)
    const kind = code >= 0x20 && code < 0x7f ? kept : traitsOf(code) & kindMask
    if (kind === symbol || (runStart !== -1 && (kind === joint || kind === encloser))) {
      if (runStart === -1) runStart = index
    } else {
      if (runStart !== -1) editor.replace(runStart, index, " ")
      runStart = -1
      if (kind === formed) editor.replace(index, end, plainFormOf(code))
      else if (kind === encloser) editor.replace(index, end, "")
      else editor.keep(code)
    }
    index = end
  }
  if (runStart !== -1) editor.replace(runStart, text.length, " ")
  return editor.finish()
}

/**
 * The text for a model that must not miss a word: normalized, without special tokens of the tokenizer and without endless
 * words. A promise for a long text only.
 */
export function normalizeForModel(text: string, check?: () => void): MaybePromise<NormalizedText> {
  return workOn(text, normalizingForModel(text), check)
}

function* normalizingForModel(text: string): Work<NormalizedText> {
  const plain = yield* normalizing(text)
  return mayTrap.test(plain.text) || hasEndlessWord(plain.text)
    ? editedTwice(plain, yield* withoutTraps(plain.text))
    : plain
}

/** Special tokens of tokenizers; in a user's text they are words. */
const specialToken =
  /\[(?=(?:CLS|SEP|PAD|UNK|MASK)\])|<(?=\/?(?:s|pad|unk|mask|bos|eos|cls|sep)>|\|[a-z_0-9]{1,40}\|>)/y
/** Most texts have nothing of this, and a search takes a tenth of the time of a look at each character. */
const mayTrap = new RegExp(`${specialToken.source}|(?![\\0-\\x7f])\\p{Sc}`, "u")
const bracket = 0x5b
const less = 0x3c
/** WordPiece takes a word of more characters for unknown, whatever it says. */
const maxWordCharacters = 100

/** Looks back from where the word would be too long, to where it begins at the latest. Halves of characters count as whole ones. */
function hasEndlessWord(text: string): boolean {
  let start = 0
  for (let index = maxWordCharacters; index < text.length; index = start + maxWordCharacters) {
    while (index >= start && (traitsOf(text.charCodeAt(index)) & inWord) !== 0) index--
    if (index < start) return true
    start = index + 1
  }
  return false
}

/** Other signs instead of those that tokenizers misread. */
function* withoutTraps(text: string): Work<NormalizedText> {
  const editor = editText(text)
  let wordCharacters = 0
  let moneyStart = -1
  for (let index = 0, pause = charactersOfStep; index < text.length;) {
    if (index >= pause) {
      yield
      pause = index + charactersOfStep
    }
    const code = text.codePointAt(index) as number
    const traits = traitsOf(code)
    if ((traits & money) !== 0) {
      if (moneyStart === -1) moneyStart = index
      wordCharacters = 0
    } else {
      if (moneyStart !== -1) editor.replace(moneyStart, index, " ")
      moneyStart = -1
      wordCharacters = (traits & inWord) === 0 ? 0 : wordCharacters + 1
      if (wordCharacters > maxWordCharacters) {
        editor.replace(index, index, " ")
        wordCharacters = 1
      }
      const isToken = (code === bracket || code === less) && isSpecialToken(text, index)
      editor.keep(isToken ? openingParenthesis : code)
    }
    index += code > 0xffff ? 2 : 1
  }
  if (moneyStart !== -1) editor.replace(moneyStart, text.length, " ")
  return editor.finish()
}

const openingParenthesis = 0x28

function isSpecialToken(text: string, index: number): boolean {
  specialToken.lastIndex = index
  return specialToken.test(text)
}

/** A longer text counts as one that says something. */
const maxBlankCharacters = 131_072

/** Whether a text has words, digits or punctuation: pictographs and blanks alone are no text. */
export const hasText = (text: string): boolean => text.length > maxBlankCharacters || hasTrait(text, says, text.length)

/** Whether one of the first characters is one that readers see, a pictograph or a letter. */
export const showsSomething = (text: string, maxCharacters: number): boolean => hasTrait(text, shows, maxCharacters)

function hasTrait(text: string, trait: number, maxCharacters: number): boolean {
  const end = Math.min(text.length, maxCharacters)
  for (let index = 0; index < end; index++) {
    const unit = text.charCodeAt(index)
    // Nearly every text has a visible ASCII character, which normalizing keeps, near its beginning.
    if (unit > 0x20 && unit < 0x7f) return true
    if (unit <= 0x7f) continue
    const code = text.codePointAt(index) as number
    if ((traitsOf(code) & trait) !== 0) return true
    if (code > 0xffff) index += 1
  }
  return false
}
