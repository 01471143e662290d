// A signal of your own: matches when most letters are capitals.

import { defineSignal, type Fact, Type } from "rtr"

export default defineSignal({
  about: "Matches when somebody shouts",
  rule: Type.Object({
    min_ratio: Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Share of capitals from which it counts as shouting",
    }),
  }),
  setup: (rules) => ({
    read({ text }) {
      const letters = text.match(/\p{L}/gu)?.length ?? 0
      const capitals = text.match(/\p{Lu}/gu)?.length ?? 0
      const ratio = letters === 0 ? 0 : capitals / letters
      return rules.map(({ name, min_ratio: least }): Fact => ({
        rule: name,
        state: ratio >= least ? "match" : "no_match",
        confidence: ratio,
        value: ratio,
      }))
    },
  }),
})
