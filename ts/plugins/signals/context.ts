// Matches the size of the prompt in tokens.

import { defineSignal, type Fact, Type, workOn } from "../../kernel/index.ts"
import { tokenSize, toTokens } from "../_shared/token-size.ts"

const rule = Type.Object({
  min_tokens: Type.Optional(tokenSize),
  max_tokens: Type.Optional(tokenSize),
  include_output: Type.Optional(
    Type.Boolean({
      description: "Whether the room that the request asks for its answer counts, too; no when left out",
    }),
  ),
})

export default defineSignal({
  about: "Matches when the size of the request's prompt in tokens, about, lies in a band",
  rule,
  debugHeader: { name: "context-token-count", tells: "number" },
  check(rules, report) {
    rules.forEach((entry, index) => {
      const { minTokens, maxTokens } = bandOf(entry)
      if (entry.min_tokens === undefined && entry.max_tokens === undefined)
        report([index], "must have min_tokens or max_tokens")
      else if (minTokens > maxTokens)
        report([index, "max_tokens"], "is smaller than min_tokens, so the rule can never match")
    })
  },
  async setup(rules) {
    // Most documents have no such rule.
    const { countingTokens } = await import("../_shared/tokens/request-tokens.ts")
    const bands = rules.map((entry) => ({
      name: entry.name,
      hasOutput: entry.include_output === true,
      ...bandOf(entry),
    }))
    return {
      read({ text, request }) {
        const output = Math.max(0, request.generation.maxOutputTokens ?? 0)
        const toFacts = (prompt: number): readonly Fact[] =>
          bands.map(({ name, hasOutput, minTokens, maxTokens }) => {
            const tokens = hasOutput ? prompt + output : prompt
            const state = tokens >= minTokens && tokens <= maxTokens ? "match" : "no_match"
            return { rule: name, state, confidence: 1, value: tokens }
          })
        const tokens = workOn(text, countingTokens(request))
        return tokens instanceof Promise ? tokens.then(toFacts) : toFacts(tokens)
      },
    }
  },
})

function bandOf({
  min_tokens: min = 0,
  max_tokens: max = Infinity,
}: {
  min_tokens?: string | number
  max_tokens?: string | number
}): { minTokens: number; maxTokens: number } {
  return { minTokens: toTokens(min), maxTokens: toTokens(max) }
}
