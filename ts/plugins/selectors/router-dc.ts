// Picks the candidate whose description is most like the text.

import { defineSelector } from "../../kernel/index.ts"
import { cardsOf } from "../_shared/selection/document-cards.ts"
import { modelSelection, reportUnused, routerDcOptions } from "../_shared/selection/model-selection.ts"
import { createDescriptionScorer, describe } from "../_shared/selection/router-dc-scores.ts"
import { short } from "../_shared/selection/scores.ts"

export default defineSelector({
  about: "Picks the candidate whose description is most like the text",
  needs: ["inference.embed"],
  options: routerDcOptions,
  settings: modelSelection,
  check(options, report, { document, modelRefs }) {
    reportUnused("router_dc", options, report)
    if (options.require_descriptions !== true) return
    const cards = cardsOf(document)
    for (const model of new Set(modelRefs.map((ref) => ref.model)))
      if (cards.has(model) && describe({ card: cards.get(model) }, options.use_capabilities ?? true) === "")
        report(["require_descriptions"], `is set, and the card of model "${model}" has no description`)
  },
  async setup(options, { candidates, settings, embedAll }) {
    const { minSimilarity, score } = await createDescriptionScorer(candidates, [options, settings.router_dc], embedAll)
    return {
      async select({ text }, { embed }) {
        const { likeness, best, confidence } = score(await embed(text))
        const highest = likeness[best] as number
        if (highest < minSimilarity)
          return { candidate: 0, confidence: highest, reason: `no description reaches ${minSimilarity}, so the first` }
        return {
          candidate: best,
          confidence,
          reason: `its description is most like the text (${short(highest)})`,
          scores: likeness,
        }
      },
    }
  },
})
