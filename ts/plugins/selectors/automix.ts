// Picks the candidate with the best quality for its price.

import { defineSelector } from "../../kernel/index.ts"
import { qualityOf } from "../_shared/selection/model-quality.ts"
import { automixRank, type AutomixSettings, passChance } from "../_shared/selection/automix-values.ts"
import { automixOptions, modelSelection, reportUnused } from "../_shared/selection/model-selection.ts"
import { highestOf, short } from "../_shared/selection/scores.ts"

export default defineSelector({
  about: "Picks the candidate with the best quality for its price",
  options: automixOptions,
  settings: modelSelection,
  check(options, report) {
    reportUnused("automix", options, report)
  },
  setup(options, { candidates, settings: { automix = {} } }) {
    const settings: AutomixSettings = {
      costAware: options.cost_aware_routing ?? automix.cost_aware_routing ?? true,
      tradeoff: automix.cost_quality_tradeoff ?? 0.3,
      costWeight: options.cost_quality_tradeoff ?? 0.5,
      threshold: options.verification_threshold ?? automix.verification_threshold ?? 0.7,
    }
    const ranks = candidates.map(({ card, pricing }) =>
      automixRank({ quality: qualityOf(card)?.score, price: pricing?.promptPer1m }, settings),
    )
    const candidate = highestOf(ranks)
    const choice = {
      candidate,
      confidence: passChance,
      reason: `the best quality for its price (${short(ranks[candidate] as number)})`,
    }
    return { select: () => choice }
  },
})
