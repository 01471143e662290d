// Typed questions with one right answer.

import { inBatches } from "../asker.ts"
import { decisionFigures, type DecisionCase, toAnswered } from "../figures/decisions.ts"
import { coveragePicture } from "../pictures/coverage.ts"
import { readSets } from "../sets.ts"
import { defineTask, type Task } from "../task.ts"

type Option = readonly [key: string, description: string | null]

interface Asked {
  readonly state: string
  readonly instructions: string
}

type DecisionRow = Asked &
  (
    | {
        readonly type: "choice"
        readonly options: readonly Option[]
        readonly answer: string | null
        bag_of_words: string
      }
    | { readonly type: "noul"; readonly options: readonly Option[]; readonly answer: boolean; bag_of_words: boolean }
    | { readonly type: "score"; readonly options: readonly string[]; readonly answer: number; bag_of_words: number }
  )

type Answer =
  | {
      readonly type: "choice" | "score"
      readonly probabilities: Readonly<Record<string, number>>
      readonly abstain_probability?: number
    }
  | { readonly type: "noul"; readonly noul: number; readonly abstain_probability?: number }
  | { readonly error: string }

const types = ["choice", "noul", "score"]

export const decide: Task = defineTask<DecisionRow, DecisionCase>(
  {
    name: "decide",
    baselineName: "shared words",
    shown: [
      "skill",
      "skill_choice",
      "skill_noul",
      "skill_score",
      "calibration_error",
      "abstain_auc",
      "abstained_without_answer",
      ...types.flatMap((type) => [`answered_${type}`, `right_of_answered_${type}`, `coverage_at_75_percent_${type}`]),
      "abstained_conclusions",
      "above_majority_conclusions",
    ],
    isServedBy: ({ question_types: served = [] }) => types.some((type) => served.includes(type)),
    ask: (asker, rows, set) =>
      inBatches(rows, async (batch) => {
        const states = batch.map((row, place) => [place, { state: row.state, questions: { asked: toQuestion(row) } }])
        const body = (await asker.post("/v1/decisions", { states: Object.fromEntries(states) })) as {
          readonly states: Readonly<Record<string, { readonly answers: { readonly asked: Answer } }>>
        }
        return batch.map((row, place) => toCase(row, set, body.states[place]?.answers.asked))
      }),
    // The rule states no probability, so it counts as sure.
    baseline: (row, set) => caseOf(row, set, row.bag_of_words === row.answer, 1),
    figures: decisionFigures,
    pictures: (cases) => ({ "decide-coverage": coveragePicture("Typed questions", cases.map(toAnswered)) }),
  },
  readSets,
)

/** The question as a request has it. */
export function toQuestion(row: DecisionRow): object {
  const { type } = row
  const asked = { type, ...(row.instructions !== "" && { instructions: row.instructions }) }
  if (type === "score") return { ...asked, levels: row.options }
  const choices = row.options.map(([key, description]) => ({ key, ...(description !== null && { description }) }))
  // A noul knows what its two answers mean where nobody says it.
  return type === "noul" && row.options.every(([, meaning]) => meaning === null) ? asked : { ...asked, choices }
}

function toCase(row: DecisionRow, set: string, answer: Answer | undefined): DecisionCase | undefined {
  if (answer === undefined) return undefined
  // Left out, what the model refuses, a question or a whole type, would not count against it, and these are the hard ones.
  if ("error" in answer) return guess(row, set)
  const probabilities = answer.type === "noul" ? { false: 1 - answer.noul, true: answer.noul } : answer.probabilities
  const [best, probability] = Object.entries(probabilities).reduce((a, b) => (b[1] > a[1] ? b : a))
  return caseOf(row, set, best === String(row.answer), probability, answer.abstain_probability)
}

/** What the package refuses has no skill: it counts as answered by a guess that is the same for all. */
export function guess(row: DecisionRow, set: string): DecisionCase {
  const [first] = row.options
  const said = row.type === "noul" ? "false" : row.type === "score" ? "0" : (first?.[0] ?? "")
  return { ...caseOf(row, set, said === String(row.answer), 1 / row.options.length), isGuess: true }
}

function caseOf(
  { type, options, answer }: DecisionRow,
  set: string,
  isRight: boolean,
  probability: number,
  abstain?: number,
): DecisionCase {
  const truth = answer === null ? undefined : String(answer)
  return { set, type, options: options.length, truth, isRight, probability, ...(abstain !== undefined && { abstain }) }
}
