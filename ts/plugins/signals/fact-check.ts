// Matches by whether the text asks for facts that can be checked.

import { defineSignal, type Fact, section, Type } from "../../kernel/index.ts"
import { probabilityOf } from "../_shared/label-probability.ts"
import { isBlank } from "../_shared/text-size.ts"

const names = ["needs_fact_check", "no_fact_check_needed"]
const [checkedLabel, uncheckedLabel] = ["fact_check", "no_fact_check"] as const

const settings = section({
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Probability that needs_fact_check needs: 0.6 when left out, 0.7 for 0",
    }),
  ),
})

export default defineSignal({
  about:
    "Matches by whether the answer needs its facts checked: needs_fact_check or no_fact_check_needed; the embedded model was measured in English",
  needs: ["inference.classify"],
  binding: "fact_check_classifier",
  defaultHead: "fact_check",
  expectedLabels: () => ({ labels: [checkedLabel, uncheckedLabel] }),
  rule: Type.Object({}),
  settings: { path: ["model_catalog", "modules", "hallucination_mitigation", "fact_check"], schema: settings },
  check(rules, report) {
    rules.forEach(({ name }, index) => {
      if (!names.includes(name))
        report([index, "name"], `"${name}" is neither ${names.join(" nor ")}, so the rule never matches`, "warning")
    })
  },
  setup(rules, { settings: { threshold: given = 0.6 } }) {
    const threshold = given === 0 ? 0.7 : given
    return {
      async read({ text }, { classify }) {
        if (isBlank(text))
          return rules.map(({ name }): Fact => ({ rule: name, state: "no_match", confidence: 0, value: 0 }))
        const classification = await classify(text)
        const [checked, unchecked] = [
          probabilityOf(classification, checkedLabel),
          probabilityOf(classification, uncheckedLabel),
        ]
        const needed = checked > unchecked && checked >= threshold
        return rules.map(({ name }): Fact => {
          const asksNeeded = name === "needs_fact_check"
          const matched = names.includes(name) && needed === asksNeeded
          // The verdict is a choice of two, so it counts fully; predicates compare the probability.
          return {
            rule: name,
            state: matched ? "match" : "no_match",
            confidence: matched ? 1 : 0,
            value: asksNeeded ? checked : unchecked,
          }
        })
      },
    }
  },
})
