// Whether letters look like words, by how often English has each letter after the one before.

import { letterPairs } from "./letter-pairs.gen.ts"

/** Letters are 1 to 26, everything else is 0. */
const symbols = 27

/** By ASCII code. */
export const letterOf: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const lower = code | 0x20
  return code >= 0x41 && lower >= 0x61 && lower <= 0x7a ? lower - 0x60 : 0
})

const firstSign = 35
const eighth = 1 / 8
const bits = Float32Array.from(letterPairs, (sign) => (sign.charCodeAt(0) - firstSign) * eighth)

export const pairOf = (before: number, letter: number): number => before * symbols + letter

/** What a pair says, in bits: the less, the likelier it is. */
export const bitsOf = (before: number, letter: number): number => bits[pairOf(before, letter)] as number

/** By pair: the bits by which it gets likelier when both are changed, and swapped where the text is read backwards. */
export const gainOf = (change: (letter: number) => number, isBackwards = false): Float32Array =>
  Float32Array.from(bits, (said, pair) => {
    const [before, letter] = [change(Math.floor(pair / symbols)), change(pair % symbols)]
    return said - (isBackwards ? bitsOf(letter, before) : bitsOf(before, letter))
  })

/** By pair: the bits that it says beyond `usual` ones. With its blanks, English says 3.3 bits a character, its neighbours up to 5, other alphabets 5.7 to 7.2. */
export const excessOf = (usual: number): Float32Array => bits.map((said) => said - usual)

/** English says 3.7 to 4.9 bits with each letter and the signs around it, its neighbours up to 6, random letters 6 to 9. */
const mostBits = 5.8
const mostOfEnglish = 5.1
const fewestLetters = 6
/** Of its characters, so many must be letters or spaces. */
const share = 0.65

/** Whether a part of a text that was decoded reads like words. Gibberish in front of an attack must not hide it. */
export const isPlausible = (text: string): boolean => somePart(text, (part) => part.bits <= mostBits)

/** Whether a part reads like English, where nothing but its letters tells that it is a text at all. */
export const isEnglish = (text: string): boolean => somePart(text, (part) => part.bits <= mostOfEnglish)

/** Whether a part has the signs of words, which may be in another disguise. */
export const hasWordSigns = (text: string): boolean => somePart(text, (part) => part.hasSigns)

/** Bits of a letter of a text, as English has them; infinite for a text with few. */
export const englishBits = (text: string): number => sizeUp(text, 0, text.length).bits

const charactersOfPart = 64

/** Parts overlap by half, and the last one is as long as the others. */
function somePart(text: string, is: (part: Size) => boolean): boolean {
  const last = Math.max(0, text.length - charactersOfPart)
  for (let start = 0; start < last; start += charactersOfPart / 2)
    if (is(sizeUp(text, start, start + charactersOfPart))) return true
  return is(sizeUp(text, last, text.length))
}

interface Size {
  readonly hasSigns: boolean
  /** Those of a letter. */
  readonly bits: number
}

function sizeUp(text: string, start: number, end: number): Size {
  let [before, letters, spaces, said] = [0, 0, 0, 0]
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index)
    const letter = code < 128 ? (letterOf[code] as number) : 0
    if (letter !== 0) letters += 1
    else if (code === 0x20 || code === 0x0a) spaces += 1
    said += bitsOf(before, letter)
    before = letter
  }
  const hasSigns = letters >= fewestLetters && letters + spaces >= share * (end - start)
  return { hasSigns, bits: hasSigns ? said / letters : Infinity }
}
