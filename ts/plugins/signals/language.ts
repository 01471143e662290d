// Matches the language that the text is written in.

import { defineSignal, type Fact, Type } from "../../kernel/index.ts"

const rule = Type.Object({
  threshold: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "Confidence that the detection needs; 0.3 when left out" }),
  ),
})

/** Languages of the detector (eld), as ISO 639-1 codes. A rule is named after one. */
const codes =
  "am ar az be bg bn ca cs da de el en es et eu fa fi fr gu he hi hr hu hy is it ja ka kn ko ku lo lt lv ml mr ms nl no or pa pl pt ro ru sk sl sq sr sv ta te th tl tr uk ur vi yo zh".split(
    " ",
  )

const defaultThreshold = 0.3

/** The detector is sure long before the end of a long text. */
const readCharacters = 4096

/**
 * A text of so few Latin letters, such as a greeting, may be of many languages. It counts as English where English is nearly as
 * likely as the best, and where the detector itself says that it is unsure.
 */
const fewLetters = 24
const nearly = 0.1

/** What is assumed of text that no language can be seen in. */
const undetected = { code: "en", confidence: 0.5 }

export default defineSignal({
  about: "Matches the language of the text by its ISO 639-1 code",
  rule,
  check(rules, report) {
    rules.forEach(({ name }, index) => {
      if (!codes.includes(name))
        report([index, "name"], `"${name}" is not one of the language codes ${codes.join(", ")}`)
    })
  },
  async setup(rules) {
    const { eld } = await import("eld/small")
    const lowest = Math.min(...rules.map(({ threshold }) => threshold ?? defaultThreshold))
    const detect = (text: string): { code: string; confidence: number } => {
      const result = eld.detect(text.slice(0, readCharacters))
      if (result.language !== "en" && isShortLatin(text)) {
        const { [result.language]: best = 0, en = 0 } = result.getScores()
        if (!result.isReliable()) return undetected
        if (en >= best - nearly) return { code: "en", confidence: en }
      }
      const confidence = result.language === "" ? 0 : (result.getScores()[result.language] ?? 0)
      return confidence < lowest || result.language === "" ? undetected : { code: result.language, confidence }
    }
    return {
      read({ text }) {
        const { code, confidence } = detect(text)
        return rules.map(({ name, threshold }): Fact => {
          const matched = name === code && (threshold === undefined || confidence >= threshold)
          return { rule: name, state: matched ? "match" : "no_match", confidence: matched ? confidence : 0 }
        })
      },
    }
  },
})

function isShortLatin(text: string): boolean {
  if (text.length > 2 * fewLetters) return false
  const letters = text.match(/\p{L}/gu) ?? []
  return letters.length < fewLetters && letters.every((letter) => /\p{Script=Latin}/u.test(letter))
}
