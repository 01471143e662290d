// The language of a text, by what a detector says of it.

export interface DetectedLanguage {
  readonly code: string
  readonly confidence: number
}

/** The detector is sure long before the end of a long text. */
const readCharacters = 4096

/**
 * A text of so few letters, such as a greeting, may be of many languages. It counts as the most common one of its script where that
 * is nearly as likely as the best, and as English where the detector itself says that it is unsure of Latin letters.
 */
const fewLetters = 24
const nearly = 0.1
const common: readonly (readonly [script: RegExp, code: string])[] = [
  [/^\p{Script=Latin}+$/u, "en"],
  [/^\p{Script=Cyrillic}+$/u, "ru"],
]

/** What is assumed of text that no language can be seen in. */
const undetected: DetectedLanguage = { code: "en", confidence: 0.5 }

/** Of words too short for the detector; Japanese ones have other signs beside the Chinese ones. */
const scripts: readonly (readonly [script: RegExp, code: string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, "ja"],
  [/\p{Script=Hangul}/u, "ko"],
  [/\p{Script=Han}/u, "zh"],
]

/** What is used of the detector. */
interface Detector {
  detect(text: string): {
    readonly language: string
    isReliable(): boolean
    getScores(): Readonly<Record<string, number | undefined>>
  }
}

/** Below the confidence `lowest` a text is of no language that can be seen. */
export function createLanguageDetector(detector: Detector, lowest: number): (text: string) => DetectedLanguage {
  return (text) => {
    const result = detector.detect(text.slice(0, readCharacters))
    const scores = result.getScores()
    const best = scores[result.language] ?? 0
    const usual = commonOf(text)
    if (usual !== undefined && usual !== result.language) {
      if (usual === "en" && !result.isReliable()) return undetected
      const confidence = scores[usual] ?? 0
      if (confidence >= best - nearly) return { code: usual, confidence }
    }
    if (result.language !== "" && best >= lowest) return { code: result.language, confidence: best }
    const written = scripts.find(([script]) => script.test(text))
    return written === undefined ? undetected : { code: written[1], confidence: undetected.confidence }
  }
}

/** Of a short text in one script. */
function commonOf(text: string): string | undefined {
  if (text.length > 2 * fewLetters) return undefined
  const letters = text.match(/\p{L}/gu) ?? []
  if (letters.length >= fewLetters) return undefined
  if (letters.length === 0) return "en"
  return common.find(([script]) => script.test(letters.join("")))?.[1]
}
