// Personal data in a text.

import { classify } from "../asker.ts"
import { countExactSpans, exactSpanFigures, type Span, type SpanCounts } from "../figures/spans.ts"
import { readSets } from "../sets.ts"
import { defineTask, type Task } from "../task.ts"

interface PiiRow {
  readonly text: string
  readonly spans: readonly Span[]
  /** Kinds that the source marks; all if absent. */
  readonly known?: readonly string[]
  readonly bag_of_words: readonly Span[]
}

export const pii: Task = defineTask<PiiRow, SpanCounts>(
  {
    name: "pii",
    baselineName: "rules",
    shown: ["micro_f1", "precision", "recall", "recall_PERSON", "f1_PERSON", "f1_LOCATION", "f1_ORG"],
    isServedBy: ({ heads }) => heads.some(({ name }) => name === "pii"),
    async ask(asker, rows) {
      const texts = rows.map(({ text }) => text)
      const results = await classify<{ readonly spans: readonly Span[] }>(asker, "pii", texts, "window")
      return rows.map(({ spans, known }, place) => {
        const result = results[place]
        return result && countExactSpans(spans, result.spans, known)
      })
    },
    baseline: ({ spans, known, bag_of_words: said }) => countExactSpans(spans, said, known),
    figures: exactSpanFigures,
  },
  readSets,
)
