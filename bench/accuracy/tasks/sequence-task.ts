// A head that gives a text one label.

import { type Asker, classify } from "../asker.ts"
import { calibrationError } from "../figures/calibration.ts"
import { labelFigures } from "../figures/labels.ts"
import { rankingFigures } from "../figures/ranking.ts"
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
  /** The router's threshold for it, which may differ from the package's. */
  readonly threshold?: number
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
  readonly truth: string
  readonly label: string
  readonly probability: number
  readonly score: number
  readonly threshold: number
}

export function sequenceTask(options: SequenceOptions): Task {
  const { head, title, labels, positive, threshold = 0.5, readsWhole = false, toText = ({ text }) => text } = options
  return defineTask<SequenceRow, SequenceCase>(
    {
      name: head,
      baselineName: "bag of words",
      shown: [
        "macro_f1",
        "accuracy",
        ...(positive === undefined ? [] : ["auc", "recall_at_1_percent", "recall", "false_positives"]),
        "calibration_error",
      ],
      isServedBy: ({ heads }) => heads.some(({ name }) => name === head),
      async ask(asker, rows) {
        const overflow = readsWhole ? "window" : "truncate"
        const results = await classify<SequenceResult>(asker, head, rows.map(toText), overflow)
        const card = labelsOf(asker, head, positive)
        return results.map(
          (result, place) => result && { ...toCase(rows[place]?.label ?? "", result, card), threshold },
        )
      },
      baseline({ label: truth, bag_of_words: { label, probability } }) {
        // Only heads of two labels have a positive one, so the other has the rest.
        const score = label === positive ? probability : 1 - probability
        return { truth, label, probability, score, threshold }
      },
      figures: (cases) => ({
        ...labelFigures(cases),
        ...(positive !== undefined &&
          rankingFigures(cases.map((one) => ({ ...one, isPositive: one.truth === positive })))),
        calibration_error: calibrationError(cases.map(withRightness)),
      }),
      pictures: (cases) => ({
        [`${head}-reliability`]: reliabilityPicture(title, cases.map(withRightness)),
        [`${head}-confusion`]: confusionPicture(title, labels, cases),
      }),
    },
    readSets,
  )
}

interface HeadLabels {
  readonly labels: readonly string[]
  readonly positive: number
}

function labelsOf({ card }: Asker, head: string, positive: string | undefined): HeadLabels {
  const found = card.heads.find(({ name }) => name === head)
  if (found === undefined) throw new Error(`The package has no head "${head}"; the caller checks that, this is a bug`)
  const { labels } = found
  const place = positive === undefined ? -1 : labels.indexOf(positive)
  if (positive !== undefined && place < 0)
    throw new Error(`The head "${head}" has the labels ${labels.join(", ")}; the sets mark "${positive}"`)
  return { labels, positive: place }
}

function toCase(
  truth: string,
  { label, probabilities }: SequenceResult,
  { labels, positive }: HeadLabels,
): Omit<SequenceCase, "threshold"> {
  const probability = probabilities[labels.indexOf(label)] ?? Number.NaN
  return { truth, label, probability, score: probabilities[positive] ?? Number.NaN }
}

function withRightness(one: SequenceCase): { readonly isRight: boolean; readonly probability: number } {
  return { isRight: one.label === one.truth, probability: one.probability }
}
