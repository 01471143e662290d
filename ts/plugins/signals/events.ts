// Matches texts that speak of an event: its type, how bad it is, codes, and words of urgency.

import { defineSignal, type Fact, Type, type Work, workOn } from "../../kernel/index.ts"
import { anyWord, type Finder } from "../_shared/words.ts"

const words = (description: string) => Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description }))

const rule = Type.Object({
  event_types: words("Names of events, such as payment_failed"),
  severities: words("critical, high, medium or low, as words of the text"),
  action_codes: words("Codes, such as TXN_DECLINE"),
  temporal: Type.Optional(Type.Boolean({ description: "Words of urgency, such as immediate or deadline" })),
})

const severities = ["critical", "high", "medium", "low"]
const urgentWords = ["urgent", "immediate", "asap", "deadline", "time-sensitive", "now", "critical window"]

export default defineSignal({
  about: "Matches texts that speak of an event: its type, severity, codes, or urgency",
  conditionType: "event",
  rule,
  check(rules, report) {
    rules.forEach((entry, index) => {
      entry.severities?.forEach((severity, place) => {
        if (!severities.includes(severity.toLowerCase()))
          report(
            [index, "severities", place],
            `"${severity}" is none of ${severities.join(", ")}, and has no effect`,
            "warning",
          )
      })
      if (criteriaOf(entry).length === 0) report([index], "names nothing to look for, so it can never match", "warning")
    })
  },
  setup(rules) {
    const wanted = rules.map((entry) => ({ name: entry.name, criteria: criteriaOf(entry) }))
    function* reading(text: string): Work<readonly Fact[]> {
      const facts: Fact[] = []
      for (const { name, criteria } of wanted) {
        let hits = 0
        let isOpen = false
        for (const finder of criteria) {
          const found = yield* finder.testing(text)
          if (found === true) hits += 1
          isOpen ||= found === undefined
        }
        facts.push(toFact(name, hits, criteria.length, isOpen))
      }
      return facts
    }
    return { read: ({ text }) => workOn(text, reading(text)) }
  },
})

/** A criterion is a list of words, any of which meets it. */
function criteriaOf(entry: {
  readonly event_types?: readonly string[]
  readonly severities?: readonly string[]
  readonly action_codes?: readonly string[]
  readonly temporal?: boolean
}): readonly Finder[] {
  const lists = [
    entry.event_types ?? [],
    (entry.severities ?? []).filter((severity) => severities.includes(severity.toLowerCase())),
    entry.action_codes ?? [],
    entry.temporal === true ? urgentWords : [],
  ]
  return lists.filter((list) => list.length > 0).map((list) => anyWord(list, false))
}

/** One criterion is enough for a match; the more are met, the surer it is. */
function toFact(name: string, hits: number, criteria: number, isOpen: boolean): Fact {
  if (hits > 0) return { rule: name, state: "match", confidence: 0.5 + (0.5 * hits) / criteria }
  if (isOpen) return { rule: name, state: "unknown", confidence: 0, reason: "input_limit" }
  return { rule: name, state: "no_match", confidence: 0 }
}
