// Matches the way of answering that the text asks for, by its likeness to descriptions and examples.

import { type BatchedQuestions, defineSignal, type Fact, type RuleOf, section, Type } from "../../kernel/index.ts"
import { checkPreference, preferenceServices } from "../_shared/external/preference.ts"
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
    Type.Boolean({
      description:
        "Compares with the examples, which it does when left out; false asks the external model of role preference",
    }),
  ),
  prototype_scoring: Type.Optional(prototypeScoring),
})

export default defineSignal({
  about: "Matches the way of answering that the text asks for, such as brief or thorough; at most one rule matches",
  configKey: "preferences",
  needs: ["inference.embed", "inference.decide"],
  embeddingBinding: "embedding",
  asks: (_, { use_contrastive: compares = true }) => [compares ? "inference.embed" : "inference.decide"],
  rule,
  settings: { path: ["model_catalog", "modules", "classifier", "preference"], schema: settings },
  services: preferenceServices,
  checkGlobal: checkPreference,
  check(rules, report) {
    rules.forEach((entry, index) => {
      if (exemplarsOf(entry).length === 0) report([index], "must have a description or examples to compare with")
    })
  },
  async setup(rules, { settings: { prototype_scoring: scoring = {}, use_contrastive: compares = true }, embedAll }) {
    if (!compares) return { read: ({ text }, { decide }) => readByModel(rules, text, decide) }
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

type Rule = RuleOf<typeof rule>

/** What a model answers where no rule fits. */
const none = "other"

async function readByModel(
  rules: readonly Rule[],
  text: string,
  decide: BatchedQuestions["decide"],
): Promise<readonly Fact[]> {
  const fact = (name: string, value: number): Fact => ({
    rule: name,
    state: value > 0 ? "match" : "no_match",
    confidence: value,
    value,
  })
  if (isBlank(text)) return rules.map(({ name }) => fact(name, 0))
  const choices = [
    ...rules.map((entry) => ({ key: entry.name, description: exemplarsOf(entry).join("; ") })),
    { key: none, description: "none of the others fits" },
  ]
  const decided = await decide(text, { type: "choice", instructions, choices })
  return rules.map(({ name }) => fact(name, decided.type === "choice" && decided.choice === name ? 1 : 0))
}

const instructions =
  "Which way of answering does the text ask for? Choose the one that fits best what its writer wants now."

function exemplarsOf({
  description = "",
  examples = [],
}: {
  readonly description?: string
  readonly examples?: readonly string[]
}): readonly string[] {
  return [description, ...examples].filter((text) => text.trim() !== "")
}
