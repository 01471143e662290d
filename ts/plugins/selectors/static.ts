// Picks the candidate that the configuration scores highest; without scores, the first.

import { defineSelector } from "../../kernel/index.ts"

export default defineSelector({
  about: "Picks the candidate with the highest configured score, or the first one",
  isDefault: true,
  setup(_options, { candidates }) {
    const best = Math.max(...candidates.map(({ score }) => score))
    // Every candidate without a score counts as 1, so a best of exactly 1 says nothing about anyone.
    const candidate = best === 1 ? 0 : candidates.findIndex(({ score }) => score === best)
    const choice = {
      candidate,
      confidence: 1,
      reason: best === 1 ? "the first candidate" : `the highest score (${best})`,
    }
    return { select: () => choice }
  },
})
