// Tells whether the last message goes on with the subject of the conversation or begins another.

import { defineSignal, type Fact, type MaybePromise, section, Type, workOn } from "../../kernel/index.ts"
import { judgeTopic, topicClasses } from "../_shared/topics/continuity.ts"
import { type Limits, readEvidence } from "../_shared/topics/evidence.ts"

const rule = Type.Object({
  include_assistant: Type.Optional(
    Type.Boolean({ description: "Whether the answers before count; yes when left out" }),
  ),
  thresholds: Type.Optional(
    section({
      continuation: Type.Optional(
        Type.Number({ description: "Likeness from which the subject goes on, below 1; 0.35 when left out" }),
      ),
      change: Type.Optional(
        Type.Number({ minimum: 0, description: "Likeness up to which it is another one; 0.08 when left out" }),
      ),
    }),
  ),
  limits: Type.Optional(
    section({
      max_prior_turns: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 32, description: "Exchanges before that are read; 8 when left out" }),
      ),
      max_turn_bytes: Type.Optional(
        Type.Integer({ minimum: 256, maximum: 65_536, description: "Bytes read of each; 16384 when left out" }),
      ),
      max_input_bytes: Type.Optional(
        Type.Integer({
          minimum: 1024,
          maximum: 1_048_576,
          description: "Bytes read of all; max_turn_bytes for each and the last message when left out",
        }),
      ),
    }),
  ),
})

const mostRules = 8
const mostInputBytes = 1_048_576

export default defineSignal({
  about:
    "Tells whether the last message goes on with the subject: conditions name rule:continuation, rule:change or rule:unknown",
  rule,
  factNames: ({ name }) => topicClasses.map((each) => `${name}:${each}`),
  check(rules, report) {
    if (rules.length > mostRules) report([mostRules], `is the ninth rule; at most ${mostRules} are read`)
    rules.forEach((entry, index) => {
      const { continuation, change } = thresholdsOf(entry)
      if (!(change < continuation && continuation < 1))
        report([index, "thresholds"], `must have change < continuation < 1, got ${change} and ${continuation}`)
      const { maxTurnBytes, maxInputBytes } = limitsOf(entry)
      if (maxInputBytes > mostInputBytes)
        report([index, "limits"], `read ${maxInputBytes} bytes in all; set max_input_bytes, at most ${mostInputBytes}`)
      else if (maxInputBytes < maxTurnBytes)
        report([index, "limits", "max_input_bytes"], `is smaller than max_turn_bytes, ${maxTurnBytes}`)
    })
  },
  setup(rules) {
    const read = rules.map((entry) => ({
      name: entry.name,
      thresholds: thresholdsOf(entry),
      limits: limitsOf(entry),
      includesAnswers: entry.include_assistant !== false,
    }))
    return {
      read({ text, request }) {
        const judged = read.map(({ name, thresholds, limits, includesAnswers }): MaybePromise<readonly Fact[]> => {
          const work = workOn(text, judgeTopic(readEvidence(request, limits, includesAnswers)))
          const toFacts = (judge: Awaited<typeof work>): readonly Fact[] => {
            const verdict = judge(thresholds)
            return topicClasses.map((each): Fact => {
              const isIt = each === verdict.class
              const confidence = isIt ? verdict.confidence : 0
              return { rule: `${name}:${each}`, state: isIt ? "match" : "no_match", confidence, value: confidence }
            })
          }
          return work instanceof Promise ? work.then(toFacts) : toFacts(work)
        })
        return judged.some((each) => each instanceof Promise)
          ? Promise.all(judged).then((facts) => facts.flat())
          : (judged as readonly (readonly Fact[])[]).flat()
      },
    }
  },
})

function thresholdsOf({
  thresholds: { continuation = 0.35, change = 0.08 } = {},
}: {
  thresholds?: { continuation?: number; change?: number }
}): { continuation: number; change: number } {
  return { continuation, change }
}

function limitsOf({
  limits = {},
}: {
  limits?: { max_prior_turns?: number; max_turn_bytes?: number; max_input_bytes?: number }
}): Limits {
  const { max_prior_turns: maxPriorTurns = 8, max_turn_bytes: maxTurnBytes = 16_384 } = limits
  return { maxPriorTurns, maxTurnBytes, maxInputBytes: limits.max_input_bytes ?? (maxPriorTurns + 1) * maxTurnBytes }
}
