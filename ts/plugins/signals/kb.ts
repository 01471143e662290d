// Matches texts that mean something similar to the examples of a label, or of a group of labels, of a knowledge base.

import { defineSignal, type Fact, literals, section, Type } from "../../kernel/index.ts"
import { checkRules, type KbRule } from "../_shared/knowledge/check.ts"
import { readManifest } from "../_shared/knowledge/manifest.ts"
import { type Answer, createScorer } from "../_shared/knowledge/scores.ts"
import { type KnowledgeBase, knowledgeBases, knowledgeBasesOf } from "../_shared/knowledge/settings.ts"
import { isBlank } from "../_shared/text-size.ts"

const name = Type.String({ minLength: 1, pattern: "\\S" })

const rule = Type.Object({
  kb: Type.String({ minLength: 1, description: "Name of a knowledge base of global.model_catalog.kbs" }),
  target: section({ kind: literals(["label", "group"]), value: name }),
  match: Type.Optional(
    literals(["best", "threshold"], {
      description: "Match when it is the most similar one of all, or when it reaches its threshold (when left out)",
    }),
  ),
})

export default defineSignal({
  about: "Matches by similarity of meaning to the examples of a knowledge base",
  needs: ["inference.embed"],
  embeddingBinding: "embedding",
  rule,
  settings: { path: ["model_catalog", "kbs"], schema: knowledgeBases },
  check: (rules, report, { document, readFile } = {}) =>
    document === undefined || rules.length === 0 ? undefined : checkRules(rules, report, { document, readFile }),
  async setup(rules, { settings, embedAll, readFile }) {
    const bases = knowledgeBasesOf(settings)
    const scorers = new Map<string, (vector: Float32Array) => Answer>()
    for (const kb of new Set(rules.map((each) => each.kb))) {
      // The check has refused rules that name no knowledge base.
      const base = bases.find((each) => each.name === kb) as KnowledgeBase
      scorers.set(kb, await createScorer(base, await readManifest(base, readFile), embedAll))
    }
    return {
      async read({ text }, { embed }) {
        if (isBlank(text))
          return rules.map((each): Fact => ({ rule: each.name, state: "no_match", confidence: 0, value: 0 }))
        const vector = await embed(text)
        const answers = new Map([...scorers].map(([kb, score]) => [kb, score(vector)]))
        return rules.map((each): Fact => toFact(each, answers.get(each.kb) as Answer))
      },
    }
  },
})

function toFact({ name: ruleName, target, match }: KbRule, answer: Answer): Fact {
  const scores = target.kind === "label" ? answer.labels : answer.groups
  const score = scores.of.get(target.value) ?? -1
  // Groups that share the most similar label are all the best.
  const matched = match === "best" ? score === scores.highest : scores.reached.has(target.value)
  return {
    rule: ruleName,
    state: matched ? "match" : "no_match",
    confidence: Math.min(1, Math.max(0, score)),
    value: score,
    values: answer.metrics,
  }
}
