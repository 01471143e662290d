// Matches the language that the text is written in.

import { defineSignal, type Fact, Type } from "../../kernel/index.ts"
import { languageCodes as codes } from "../_shared/languages/language-codes.ts"

const rule = Type.Object({
  threshold: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "Confidence that the detection needs; 0.3 when left out" }),
  ),
})

const defaultThreshold = 0.3

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
    const { createLanguageDetector } = await import("../_shared/signals/detect-language.ts")
    // At 0 a rule asks for nothing itself.
    const detect = createLanguageDetector(
      eld,
      Math.min(...rules.map(({ threshold = 0 }) => (threshold === 0 ? defaultThreshold : threshold))),
    )
    return {
      read({ text }) {
        const { code, confidence } = detect(text)
        return rules.map(({ name, threshold = 0 }): Fact => {
          const value = name === code ? confidence : 0
          const matched = name === code && value >= threshold
          // A language is one or is not: how sure the detector is must not decide between decisions.
          return { rule: name, state: matched ? "match" : "no_match", confidence: Number(matched), value }
        })
      },
    }
  },
})
