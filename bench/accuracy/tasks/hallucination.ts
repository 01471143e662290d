// Parts of an answer that its context does not support.

import { classify } from "../asker.ts"
import type { LabelCount } from "../figures/labels.ts"
import { characterFigures, countCharacters, type Span } from "../figures/spans.ts"
import { readSets } from "../sets.ts"
import { defineTask, type Task } from "../task.ts"

interface GroundedRow {
  readonly context: string
  readonly question: string
  readonly answer: string
  readonly spans: readonly Span[]
  readonly bag_of_words: readonly Span[]
}

export const hallucination: Task = defineTask<GroundedRow, LabelCount>(
  {
    name: "hallucination",
    baselineName: "new words",
    shown: ["character_f1", "precision", "recall"],
    isServedBy: ({ heads }) => heads.some(({ name }) => name === "hallucination"),
    async ask(asker, rows) {
      const inputs = rows.map(({ context, question, answer }) => ({ context, question, answer }))
      const results = await classify<{ readonly spans: readonly Span[] }>(asker, "hallucination", inputs, "window")
      return rows.map(({ spans }, place) => {
        const result = results[place]
        return result && countCharacters(spans, result.spans)
      })
    },
    baseline: ({ spans, bag_of_words: said }) => countCharacters(spans, said),
    figures: characterFigures,
  },
  readSets,
)
