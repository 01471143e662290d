// A head that gives a text one label.

import type { ModelCard } from "../../inference/worker.ts"
import { type Asker, classify } from "../asker.ts"
import type { Figures } from "../figures/bootstrap.ts"
import { calibrationError } from "../figures/calibration.ts"
import { type LabelCase, labelFigures } from "../figures/labels.ts"
import { rankingFigures, rankingFiguresBySet } from "../figures/ranking.ts"
import { confusionPicture } from "../pictures/confusion.ts"
import { reliabilityPicture } from "../pictures/reliability.ts"
import { readSets } from "../sets.ts"
import { defineTask, type Task } from "../task.ts"

export interface SequenceOptions {
  readonly head: string
  /** Title of the pictures. */
  readonly title: string
  /** Labels in the order of the pictures. */
  readonly labels: readonly string[]
  /** Of heads that look for something: the label that says that it is there. */
  readonly positive?: string
  /** The router's threshold for it, which may differ from the package's; that counts too then. */
  readonly threshold?: number
  /** Name of the task if it is not the head's. */
  readonly name?: string
  /** A label that most texts have, and whose loss is counted: the share of its texts that get another. */
  readonly usual?: string
  isServedBy?(card: ModelCard): boolean
  /** What becomes of the probability of the positive label that the package gives a text; the same if absent. */
  toRisk?(text: string, probability: number): Promise<number>
  /** Whether long texts are read to their end; their beginning is if absent. */
  readonly readsWhole?: boolean
  /** What the head reads of a row; its text if absent. */
  toText?(row: SequenceRow): string
}

export interface SequenceRow {
  readonly text: string
  readonly previous?: string
  readonly label: string
  readonly bag_of_words: { readonly label: string; readonly probability: number }
}

interface SequenceResult {
  readonly label: string
  readonly probabilities: readonly number[]
}

interface SequenceCase {
  readonly set: string
  readonly truth: string
  readonly label: string
  readonly probability: number
  readonly score: number
  readonly threshold: number
  readonly ownThreshold: number
}

export function sequenceTask(options: SequenceOptions): Task {
  const { head, title, labels, positive, usual, threshold = 0.5, readsWhole = false } = options
  const taskName = options.name ?? head
  const withRisk = async (one: SequenceCase, text: string): Promise<SequenceCase> => {
    if (options.toRisk === undefined || positive === undefined) return one
    const score = await options.toRisk(text, one.score)
    const label = score >= 0.5 ? positive : (labels.find((other) => other !== positive) ?? "")
    return { ...one, score, label, probability: Math.max(score, 1 - score) }
  }
  const { toText = ({ text }) => text, isServedBy = ({ heads }) => heads.some(({ name }) => name === head) } = options
  return defineTask<SequenceRow, SequenceCase>(
    {
      name: taskName,
      sets: head,
      baselineName: "bag of words",
      shown: [
        "macro_f1",
        "accuracy",
        ...(positive === undefined ? [] : ["auc", "recall_at_1_percent", "recall", "false_positives"]),
        ...(options.threshold === undefined ? [] : bySetAndOwn),
        ...(usual === undefined ? [] : [`lost_${usual}`]),
        "calibration_error",
      ],
      isServedBy,
      async ask(asker, rows, set) {
        const overflow = readsWhole ? "window" : "truncate"
        const results = await classify<SequenceResult>(asker, head, rows.map(toText), overflow)
        const card = labelsOf(asker, head, positive)
        const cases = results.map(
          (result, place) =>
            result && {
              set,
              threshold,
              ownThreshold: card.threshold,
              ...toCase(rows[place]?.label ?? "", result, card),
            },
        )
        return Promise.all(cases.map((one, place) => one && withRisk(one, rows[place]?.text ?? "")))
      },
      baseline({ label: truth, bag_of_words: { label, probability } }, set) {
        // Only heads of two labels have a positive one, so the other has the rest.
        const score = label === positive ? probability : 1 - probability
        return { set, truth, label, probability, score, threshold, ownThreshold: threshold }
      },
      figures: (cases) => ({
        ...labelFigures(cases),
        ...(positive !== undefined &&
          allRankingFigures(cases.map((one) => ({ ...one, isPositive: one.truth === positive })))),
        ...(usual !== undefined && { [`lost_${usual}`]: lostShare(cases, usual) }),
        calibration_error: calibrationError(cases.map(withRightness)),
      }),
      pictures: (cases) => ({
        [`${taskName}-reliability`]: reliabilityPicture(title, cases.map(withRightness)),
        [`${taskName}-confusion`]: confusionPicture(title, labels, cases),
      }),
    },
    readSets,
  )
}

/** What the package's own threshold gives, and the means over sets. */
const bySetAndOwn = ["recall_own", "false_positives_own", "auc_by_set", "recall_at_1_percent_by_set"]

function allRankingFigures(cases: readonly (SequenceCase & { readonly isPositive: boolean })[]): Figures {
  const own = rankingFigures(cases.map((one) => ({ ...one, threshold: one.ownThreshold })))
  return {
    ...rankingFigures(cases),
    recall_own: own["recall"] ?? Number.NaN,
    false_positives_own: own["false_positives"] ?? Number.NaN,
    ...rankingFiguresBySet(cases),
  }
}

function lostShare(cases: readonly LabelCase[], usual: string): number {
  const some = cases.filter(({ truth }) => truth === usual)
  return some.filter(({ label }) => label !== usual).length / some.length
}

interface HeadLabels {
  readonly labels: readonly string[]
  readonly positive: number
  /** The package's threshold. */
  readonly threshold: number
}

function labelsOf({ card }: Asker, head: string, positive: string | undefined): HeadLabels {
  const found = card.heads.find(({ name }) => name === head)
  if (found === undefined) throw new Error(`The package has no head "${head}"; the caller checks that, this is a bug`)
  const { labels, default_threshold: threshold } = found
  const place = positive === undefined ? -1 : labels.indexOf(positive)
  if (positive !== undefined && place < 0)
    throw new Error(`The head "${head}" has the labels ${labels.join(", ")}; the sets mark "${positive}"`)
  return { labels, positive: place, threshold }
}

function toCase(
  truth: string,
  { label, probabilities }: SequenceResult,
  { labels, positive }: HeadLabels,
): Pick<SequenceCase, "truth" | "label" | "probability" | "score"> {
  const probability = probabilities[labels.indexOf(label)] ?? Number.NaN
  return { truth, label, probability, score: probabilities[positive] ?? Number.NaN }
}

function withRightness(one: SequenceCase): { readonly isRight: boolean; readonly probability: number } {
  return { isRight: one.label === one.truth, probability: one.probability }
}
