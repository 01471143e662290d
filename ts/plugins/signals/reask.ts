// Matches a user who asks the same again: the last message is like those before it.

import { defineSignal, type Fact, hasText, lastUserTurns, type SignalInput, textOf, Type } from "../../kernel/index.ts"
import { dot } from "../_shared/prototype-bank.ts"

const rule = Type.Object({
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Similarity from which two messages ask the same; 0.8 when left out",
    }),
  ),
  lookback_turns: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 32,
      description: "How many messages of the user before the last one have to ask the same; 1 when left out",
    }),
  ),
})

const defaultThreshold = 0.8

export default defineSignal({
  about: "Matches when the user asks again what the messages before asked",
  configKey: "reasks",
  needs: ["inference.embed"],
  embeddingBinding: "embedding",
  rule,
  setup(rules) {
    const wanted = rules.map(({ name, threshold = defaultThreshold, lookback_turns: lookback = 1 }) => ({
      name,
      threshold,
      lookback,
    }))
    const deepest = Math.max(...wanted.map(({ lookback }) => lookback))
    return {
      async read(input, { embed }) {
        const earlier = hasText(input.text) ? earlierTexts(input, deepest) : []
        // A first message asks nothing again, and no model.
        const [now, ...before] = await Promise.all((earlier.length === 0 ? [] : [input.text, ...earlier]).map(embed))
        const similarities = now === undefined ? [] : before.map((vector) => dot(now, vector))
        const found = wanted.map(({ name, threshold, lookback }) => {
          const asked = similarities.slice(0, lookback)
          const least = asked.length < lookback ? undefined : Math.min(...asked)
          return { name, lookback, least, matched: least !== undefined && least >= threshold }
        })
        // Who asks for the third time has asked for the second time as well; the longest says it all.
        const longest = Math.max(...found.map(({ matched, lookback }) => (matched ? lookback : 0)))
        return found.map(({ name, lookback, least = 0, matched }): Fact => {
          const isMatch = matched && lookback === longest
          return {
            rule: name,
            state: isMatch ? "match" : "no_match",
            confidence: Math.min(1, Math.max(0, least)),
            value: least,
          }
        })
      },
    }
  },
})

/** Texts of the user before the last one, newest first. */
function earlierTexts({ request }: SignalInput, most: number): readonly string[] {
  const { turns } = request
  const [last] = lastUserTurns(request)
  const texts: string[] = []
  for (let index = last === undefined ? -1 : turns.indexOf(last) - 1; index >= 0 && texts.length < most; index--) {
    const turn = turns[index]
    const text = turn?.role === "user" ? textOf(turn) : ""
    if (hasText(text)) texts.push(text)
  }
  return texts
}
