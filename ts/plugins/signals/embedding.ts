// Matches by similarity of meaning between the text and example sentences.

import { defineSignal, type Fact, literals, section, Type } from "../../kernel/index.ts"
import { type Bank, createBank, prototypeScoring } from "../_shared/prototype-bank.ts"
import { checkEmbeddings, endpoint, remoteEmbeddings, remoteKeys } from "../_shared/external/remote-embeddings.ts"
import { narrowing } from "../_shared/projections/relations.ts"
import { isBlank } from "../_shared/text-size.ts"

const rule = Type.Object({
  threshold: Type.Number({ minimum: -1, maximum: 1, description: "Similarity from which the rule matches" }),
  candidates: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description: "Example sentences" }),
  negative_candidates: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: "Sentences that are meant otherwise: a text that is as much like them does not match",
    }),
  ),
  aggregation_method: Type.Optional(literals(["max", "any", "mean"])),
  query_modality: Type.Optional(literals(["text"])),
  prototype_scoring: Type.Optional(prototypeScoring),
})

const embeddingConfig = section({
  enable_soft_matching: Type.Optional(
    Type.Boolean({ description: "When no rule reaches its threshold, let those above min_score_threshold match" }),
  ),
  min_score_threshold: Type.Optional(Type.Number({ minimum: -1, maximum: 1 })),
  top_k: Type.Optional(Type.Integer({ minimum: 0, description: "How many of the matching rules stay; 0 keeps all" })),
  prototype_scoring: Type.Optional(prototypeScoring),
  ...remoteKeys,
})

const settings = section({ embedding_config: Type.Optional(embeddingConfig), endpoint: Type.Optional(endpoint) })

export default defineSignal({
  about: "Matches when the text means something similar to example sentences",
  configKey: "embeddings",
  needs: ["inference.embed"],
  rule,
  partitionProblem: () => undefined,
  settings: { path: ["model_catalog", "embeddings", "semantic"], schema: settings },
  services: remoteEmbeddings,
  checkGlobal: checkEmbeddings,
  async setup(
    rules,
    {
      settings: {
        embedding_config: {
          enable_soft_matching: soft = true,
          min_score_threshold: softThreshold = 0.5,
          top_k: topK = 1,
          prototype_scoring: scoring,
        } = {},
      },
      embedAll,
      ...around
    },
  ) {
    const narrow = narrowing(
      around,
      rules.map(({ name }) => name),
    )
    const banks = await Promise.all(
      rules.map(async (entry) => {
        const mean = entry.aggregation_method === "mean" ? { best_weight: 0, top_m: 0 } : {}
        const options = { ...scoring, ...entry.prototype_scoring, ...mean }
        const bankOf = async (texts: readonly string[]): Promise<Bank> =>
          createBank(texts, await embedAll(texts), options)
        const { candidates, negative_candidates: others = [] } = entry
        return {
          own: await bankOf(candidates),
          others: others.length === 0 ? undefined : await bankOf(others),
          // Of several that match there is no winner to be unsure of.
          margin: topK === 1 ? (options.margin_threshold ?? 0) : 0,
        }
      }),
    )
    return {
      async read({ text }, { embed }) {
        if (isBlank(text))
          return narrow(rules.map(({ name }): Fact => ({ rule: name, state: "no_match", confidence: 0, value: 0 })))
        const vector = await embed(text)
        const scored = banks.map(({ own, others, margin }, index) => {
          const { name, threshold } = rules[index] as (typeof rules)[number]
          const score = own(vector)
          return { name, threshold, score, margin, isMeant: others === undefined || score > others(vector) }
        })
        const isClear = ({ score, margin, name }: (typeof scored)[number]): boolean =>
          margin === 0 || scored.every((other) => other.name === name || score - other.score >= margin)
        const possible = scored.filter((each) => each.isMeant && isClear(each))
        const hard = possible.filter(({ score, threshold }) => score >= threshold)
        const matching = hard.length > 0 || !soft ? hard : possible.filter(({ score }) => score >= softThreshold)
        const found = new Set(matching.map(({ name }) => name))
        const facts = scored.map(({ name, score }): Fact => ({
          rule: name,
          state: found.has(name) ? "match" : "no_match",
          confidence: Math.min(1, Math.max(0, score)),
          value: score,
        }))
        return keepBest(narrow(facts), found, topK)
      },
    }
  },
})

/** Only the `topK` most similar of those that were `found` match. What a partition put in their place is not counted. */
function keepBest(facts: readonly Fact[], found: ReadonlySet<string>, topK: number): readonly Fact[] {
  if (topK === 0) return facts
  const matching = facts.filter(({ rule: name, state }) => state === "match" && found.has(name))
  if (matching.length <= topK) return facts
  const ranked = matching.toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0) || (a.rule < b.rule ? -1 : 1))
  const dropped = new Set(ranked.slice(topK))
  return facts.map((fact) => (dropped.has(fact) ? { ...fact, state: "no_match" } : fact))
}
