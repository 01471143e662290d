// Asks a decision model a typed question about the text: which option, how likely yes, which level, which labels.

import {
  type Decided,
  defineSignal,
  type Fact,
  literals,
  predicateHolds,
  predicateProblem,
  type RuleOf,
  RtrError,
  section,
  Type,
  type TypedQuestion,
} from "../../kernel/index.ts"
import { isBlank } from "../_shared/text-size.ts"
import { numberPredicate } from "../_shared/signals/number-predicate.ts"

const key = Type.String({ minLength: 1, pattern: "\\S" })

const question = section({
  type: literals(["choice", "noul", "score", "set", "span"]),
  instructions: Type.Optional(Type.String({ description: "The question in words" })),
  choices: Type.Optional(
    Type.Array(section({ key, description: Type.Optional(Type.String()) }), {
      minItems: 2,
      maxItems: 255,
      description: "Options of a choice; a condition names one by its label",
    }),
  ),
  levels: Type.Optional(
    Type.Array(Type.String(), { minItems: 2, maxItems: 10, description: "Levels of a score, the lowest first" }),
  ),
  labels: Type.Optional(
    Type.Array(key, { minItems: 1, maxItems: 255, description: "Labels of a set or of spans; a condition names one" }),
  ),
  threshold: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "Probability that a label needs; the model's when left out" }),
  ),
})

const rule = Type.Object({
  question,
  predicate: Type.Optional(numberPredicate),
  abstain_at: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description:
        "A choice, yes or no, or level that should not be used with at least this probability is unknown; 1 uses every answer. 0.5 when left out",
    }),
  ),
})

type Rule = RuleOf<typeof rule>
type Question = Rule["question"]

/** The list that each type of question has to have, and those that it must not have. */
const listOf = { choice: "choices", noul: undefined, score: "levels", set: "labels", span: "labels" } as const
const lists = ["choices", "levels", "labels"] as const

/** A yes is as likely as not. */
const evenOdds = { gte: 0.5 }

/** The point that packages are made for. */
const usualAbstainAt = 0.5

export default defineSignal({
  about:
    "Asks a decision model a question about the text: a choice, yes or no, a level, labels; the embedded model was measured in English",
  configKey: "decision",
  conditionType: "decision",
  needs: ["inference.decide"],
  binding: "decision_model",
  rule,
  factNames: ({ name, question: asked }) => namesOf(name, asked),
  check(rules, report) {
    rules.forEach(({ question: asked, predicate, abstain_at: abstainAt }, index) => {
      const needed = listOf[asked.type]
      for (const list of lists) {
        if (list === needed && asked[list] === undefined)
          report([index, "question", list], `is missing; a question of type ${asked.type} needs it`)
        if (list !== needed && asked[list] !== undefined)
          report([index, "question", list], `does not belong to a question of type ${asked.type}`)
      }
      if (asked.threshold !== undefined && needed !== "labels")
        report([index, "question", "threshold"], `belongs to set and span; use predicate for ${asked.type}`)
      if (abstainAt !== undefined && needed === "labels")
        report([index, "abstain_at"], `belongs to choice, noul and score; use question.threshold for ${asked.type}`)
      if (asked.type === "score" && predicate === undefined)
        report(
          [index, "predicate"],
          "is missing; a score needs a range of the expected level, the lowest of which is 0",
        )
      const range = predicate === undefined ? undefined : predicateProblem(predicate)
      if (range !== undefined) report([index, "predicate"], range)
      const names = keysOf(asked)
      names.forEach((each, position) => {
        if (names.indexOf(each) !== position)
          report([index, "question", needed ?? "type", position], `"${each}" stands there twice`)
      })
    })
  },
  setup: (rules) => ({
    async read({ text }, { decide }) {
      if (isBlank(text)) return rules.flatMap(({ name, question: asked }) => namesOf(name, asked).map(nothing))
      const answers = await Promise.all(rules.map(({ question: asked }) => decide(text, wireOf(asked))))
      return rules.flatMap((entry, index) => factsOf(entry, answers[index] as Decided))
    },
  }),
})

/** Names of what a question asks for; none for yes or no and for a level. */
const keysOf = ({ choices, labels = [] }: Question): readonly string[] => choices?.map((choice) => choice.key) ?? labels

function namesOf(name: string, asked: Question): readonly string[] {
  const keys = keysOf(asked)
  return keys.length === 0 ? [name] : keys.map((each) => `${name}:${each}`)
}

const nothing = (name: string): Fact => ({ rule: name, state: "no_match", confidence: 0, value: 0 })

function wireOf({ type, instructions, choices, levels, labels, threshold }: Question): TypedQuestion {
  return {
    type,
    ...(instructions !== undefined && { instructions }),
    ...(choices !== undefined && { choices }),
    ...(levels !== undefined && { levels }),
    ...(labels !== undefined && { labels }),
    ...(threshold !== undefined && { threshold }),
  }
}

/** Options and labels of an answer. */
function keysIn(answer: Decided): readonly string[] {
  switch (answer.type) {
    case "choice":
      return [answer.choice]
    case "set":
      return answer.selected
    case "span":
      return answer.spans.map(({ label }) => label)
    default:
      return []
  }
}

/** Whether the model would rather not have answered. */
const isAbstention = (answer: Decided, abstainAt: number): boolean =>
  abstainAt < 1 && "abstainProbability" in answer && (answer.abstainProbability ?? 0) >= abstainAt

/** With a predicate the number decides, otherwise what the model says. */
function factsOf(
  { name, question: asked, predicate, abstain_at: abstainAt = usualAbstainAt }: Rule,
  answer: Decided,
): readonly Fact[] {
  if (answer.type !== asked.type)
    throw new RtrError("invalid_model_output", `The decision model answered another question than ${asked.type}`)
  const keys = keysOf(asked)
  if (!keysIn(answer).every((option) => keys.includes(option)))
    throw new RtrError("invalid_model_output", "The decision model answered with an option that was not asked for")
  if (isAbstention(answer, abstainAt))
    return namesOf(name, asked).map((named) => ({ rule: named, state: "unknown", confidence: 0, reason: "abstained" }))
  const fact = (named: string, value: number, said: boolean, confidence = value): Fact => ({
    rule: named,
    state: (predicate === undefined ? said : predicateHolds(predicate, value)) ? "match" : "no_match",
    confidence: Math.min(1, Math.max(0, confidence)),
    value,
  })
  switch (answer.type) {
    case "choice":
      return keys.map((option) =>
        fact(`${name}:${option}`, answer.probabilities[option] ?? 0, answer.choice === option),
      )
    case "noul":
      return [fact(name, answer.noul, predicateHolds(evenOdds, answer.noul))]
    case "score":
      return [fact(name, answer.score, false, answer.confidence)]
    case "set":
      return keys.map((label) =>
        fact(`${name}:${label}`, answer.probabilities[label] ?? 0, answer.selected.includes(label)),
      )
    case "span":
      return keys.map((label) => {
        const found = answer.spans.filter((span) => span.label === label)
        return fact(`${name}:${label}`, Math.max(0, ...found.map(({ probability }) => probability)), found.length > 0)
      })
  }
}
