// Matches the way of answering that the text asks for, by its likeness to descriptions and examples.

import { defineSignal, type Fact, section, type Static, Type } from "../../kernel/index.ts"
import { createBank, prototypeScoring } from "../_shared/prototype-bank.ts"
import { isBlank } from "../_shared/text-size.ts"

const rule = Type.Object({
  examples: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: "Sentences that ask for it; the description is one as well",
    }),
  ),
  threshold: Type.Optional(
    Type.Number({ minimum: -1, maximum: 1, description: "Similarity from which the rule matches; 0 when left out" }),
  ),
})

const settings = section({
  use_contrastive: Type.Optional(
    Type.Boolean({ description: "Compares with the examples. A model that names the preference is not supported yet" }),
  ),
  prototype_scoring: Type.Optional(prototypeScoring),
})

export default defineSignal({
  about: "Matches the way of answering that the text asks for, such as brief or thorough; at most one rule matches",
  configKey: "preferences",
  needs: ["inference.embed"],
  embeddingBinding: "embedding",
  rule,
  settings: { path: ["model_catalog", "modules", "classifier", "preference"], schema: settings },
  check(rules, report, { document } = {}) {
    const { model_catalog: catalog } = (document?.global ?? {}) as {
      readonly model_catalog?: { modules?: { classifier?: { preference?: Static<typeof settings> } } }
    }
    if (rules.length > 0 && catalog?.modules?.classifier?.preference?.use_contrastive === false)
      report(
        [0],
        "wants a model that names the preference (use_contrastive: false), which is not supported yet; remove use_contrastive to compare with the examples",
      )
    rules.forEach((entry, index) => {
      if (exemplarsOf(entry).length === 0) report([index], "must have a description or examples to compare with")
    })
  },
  async setup(rules, { settings: { prototype_scoring: scoring = {} }, embedAll }) {
    const banks = await Promise.all(
      rules.map(async (entry) => {
        const exemplars = exemplarsOf(entry)
        return createBank(exemplars, await embedAll(exemplars), scoring)
      }),
    )
    const margin = scoring.margin_threshold ?? 0
    return {
      async read({ text }, { embed }) {
        if (isBlank(text))
          return rules.map(({ name }): Fact => ({ rule: name, state: "no_match", confidence: 0, value: 0 }))
        const vector = await embed(text)
        const scored = rules.map(({ name, threshold = 0 }, index) => ({
          name,
          threshold,
          score: banks[index]?.(vector) ?? 0,
        }))
        const [best, second] = scored.toSorted((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
        const isClear = second === undefined || (best?.score ?? 0) - second.score >= margin
        return scored.map((each): Fact => {
          const { name, threshold, score } = each
          const matched = each === best && isClear && score >= threshold
          return {
            rule: name,
            state: matched ? "match" : "no_match",
            confidence: Math.min(1, Math.max(0, score)),
            value: score,
          }
        })
      },
    }
  },
})

function exemplarsOf({
  description = "",
  examples = [],
}: {
  readonly description?: string
  readonly examples?: readonly string[]
}): readonly string[] {
  return [description, ...examples].filter((text) => text.trim() !== "")
}
