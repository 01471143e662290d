// Sentences in another language than the text around them: too short a part of it to show in the language of the whole.

import type { Work } from "../../../kernel/index.ts"
import { englishBits } from "../disguise/letter-pairs.ts"
import { plainWords } from "./plain-words.ts"

/** What is used of a detector (eld). */
export interface Detector {
  detect(text: string): {
    readonly language: string
    isReliable(): boolean
    getScores(): Readonly<Record<string, number | undefined>>
  }
}

/** Whether some sentence is surely in none of the `known` languages. */
export function* hasForeignSentence(text: string, known: readonly string[], detector: Detector): Work<boolean> {
  const isEnglishKnown = known.includes("en")
  for (const part of partsOf(text)) {
    const words = foreignIn(part, isEnglishKnown)
    if (words !== undefined) {
      const detected = detector.detect(words)
      if (detected.isReliable() && !known.includes(detected.language)) {
        const scores = detected.getScores()
        const best = scores[detected.language] ?? 0
        if (known.every((code) => (scores[code] ?? 0) <= best - clearly)) return true
      }
    }
    yield
  }
  return false
}

/** A single sentence has to say more than a whole text. */
const clearly = 0.16

const charactersOfPart = 100
const endOfSentence = /[\n.!?。！？]/g

/** Sentences, short ones together. */
function* partsOf(text: string): Generator<string> {
  const { length } = text
  let [start, end, sentenceEnd] = [0, 0, 0]
  while (end < length) {
    if (sentenceEnd <= end) {
      endOfSentence.lastIndex = end
      sentenceEnd = (endOfSentence.exec(text)?.index ?? length) + 1
    }
    if (sentenceEnd - start > charactersOfPart && end > start) {
      yield text.slice(start, end)
      start = end
    }
    end = Math.min(sentenceEnd, end + 2 * charactersOfPart)
  }
  if (start < length) yield text.slice(start)
}

const fewestLetters = 20
/** Symbols of mathematics stand alone, and names of brands are few. */
const fewestOthers = 8
/** English sentences say 3.7 to 4.6 bits with each letter. */
const leastBits = 4.3
/** Names, lists and code have more signs. */
const leastShare = 0.9

const latin = /[\p{sc=Latin}\p{sc=Common}]+/gu
const letter = /\p{L}/gu
const blanks = /\s+/g

/** The words of a part that may be in another language; undefined for nearly every part of an English text. */
function foreignIn(part: string, isEnglishKnown: boolean): string | undefined {
  const others = isAscii.test(part) ? "" : part.replaceAll(latin, " ").trim()
  if (others.length >= fewestOthers && /\S{3}/u.test(others)) return others
  if (isEnglishKnown && englishBits(part) < leastBits) return undefined
  const written = part.trim().replaceAll(blanks, " ")
  const letters = written.match(letter)?.length ?? 0
  const spaces = written.split(" ").length - 1
  return letters >= fewestLetters && letters + spaces >= leastShare * written.length ? plainWords(written) : undefined
}

const isAscii = /^[\0-\x7f]*$/
