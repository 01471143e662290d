// Matches what the user's turn says of the answer before it.

import {
  type ChatRequest,
  defineSignal,
  type Fact,
  hasText,
  lastUserTurns,
  section,
  textOf,
  Type,
} from "../../kernel/index.ts"
import { feedbackText } from "../_shared/feedback-text.ts"
import { probabilityOf } from "../_shared/label-probability.ts"
import { isBlank } from "../_shared/text-size.ts"

/** Labels of the feedback head by rule name; its fifth label, NONE, is a turn without a verdict. */
const labels: Readonly<Record<string, string>> = {
  satisfied: "SAT",
  need_clarification: "NEED_CLARIFICATION",
  wrong_answer: "WRONG_ANSWER",
  want_different: "WANT_DIFFERENT",
}
const names = Object.keys(labels)

const settings = section({
  threshold: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "Probability that a label needs; 0.7 when left out" }),
  ),
})

export default defineSignal({
  about:
    "Matches what the user says of the answer before, if there is one: satisfied, need_clarification, wrong_answer or want_different; the embedded model was measured in English",
  configKey: "user_feedbacks",
  needs: ["inference.classify"],
  binding: "feedback_detector",
  defaultHead: "feedback",
  expectedLabels: ({ name }) => (Object.hasOwn(labels, name) ? { labels: [labels[name] as string] } : undefined),
  rule: Type.Object({}),
  settings: { path: ["model_catalog", "modules", "feedback_detector"], schema: settings },
  check(rules, report) {
    rules.forEach(({ name }, index) => {
      if (!Object.hasOwn(labels, name))
        report([index, "name"], `"${name}" is none of ${names.join(", ")}, so the rule never matches`, "warning")
    })
  },
  setup(rules, { settings: { threshold = 0.7 } }) {
    return {
      async read({ text, request }, { classify }) {
        const previous = answerBefore(request)
        // Without an answer there is nothing to give feedback on.
        if (previous === undefined || isBlank(text))
          return rules.map(({ name }): Fact => ({ rule: name, state: "no_match", confidence: 0, value: 0 }))
        // The answer alone says nothing of what its reader thinks.
        if (!hasText(text))
          return rules.map(({ name }): Fact => ({
            rule: name,
            state: "unknown",
            confidence: 0,
            reason: "unread_words",
          }))
        const classification = await classify(feedbackText(text, previous))
        const highest = Math.max(...classification.probabilities)
        return rules.map(({ name }): Fact => {
          const label = labels[name]
          const probability = label === undefined ? 0 : probabilityOf(classification, label)
          const matched = label !== undefined && probability === highest && probability >= threshold
          return { rule: name, state: matched ? "match" : "no_match", confidence: probability, value: probability }
        })
      },
    }
  },
})

/** Text of the last answer before the last user turn that says something; undefined when there is none. */
function answerBefore(request: ChatRequest): string | undefined {
  const { turns } = request
  const [last] = lastUserTurns(request)
  for (let index = last === undefined ? -1 : turns.indexOf(last) - 1; index >= 0; index--) {
    const turn = turns[index]
    const text = turn?.role === "assistant" ? textOf(turn) : ""
    if (!isBlank(text)) return text
  }
  return undefined
}
