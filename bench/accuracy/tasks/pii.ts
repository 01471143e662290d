// Personal data in a text: what the signal says, which joins patterns and the model, and what the model says alone.

import type { MaybePromise } from "../../../ts/kernel/types/module-base.ts"
import { toCodeUnits } from "../../../ts/kernel/runtime/worker-bodies/code-units.ts"
import { toFindings } from "../../../ts/plugins/_shared/personal-data/built-in-model.ts"
import { type Entity, mergeEntities } from "../../../ts/plugins/_shared/personal-data/entities.ts"
import { kindOf, wantedKinds } from "../../../ts/plugins/_shared/personal-data/kinds.ts"
import { createPatternSearch } from "../../../ts/plugins/_shared/personal-data/pattern-entities.ts"
import { keepPrivate } from "../../../ts/plugins/_shared/personal-data/private-persons.ts"
import { classify } from "../asker.ts"
import { countFindings, type FindingCounts, findingFigures } from "../figures/findings.ts"
import { exactSpanFigures, type Span } from "../figures/spans.ts"
import { readSets } from "../sets.ts"
import { defineTask, type Task } from "../task.ts"

interface PiiRow {
  readonly text: string
  readonly spans: readonly Span[]
  /** Kinds that the source marks; all if absent. */
  readonly known?: readonly string[]
  readonly bag_of_words: readonly Span[]
}

interface MarkedSpan extends Span {
  readonly probability: number
}

interface Said {
  readonly found: readonly Span[]
  /** What a rule counts of it. */
  readonly counted?: readonly Span[]
}

type Answer = (text: string, marked: readonly MarkedSpan[]) => MaybePromise<Said>

const searchPatterns = await createPatternSearch()

const toSpan = ({ kind, start, end }: Entity): Span => ({ label: kind, start, end })

const withPatterns: Answer = async (text, marked) => {
  const found = mergeEntities(text, await searchPatterns(text), toFindings(text, toCodeUnits(text, marked)))
  return { found: found.map(toSpan), counted: keepPrivate(text, found).map(toSpan) }
}

const alone: Answer = (text, marked) => ({ found: inUnits(text, marked) })

/** What a rule looks for that names no kinds. */
const isDefault = wantedKinds({})

/** Spans with the kinds of the configuration and places in the units of strings, as the patterns have them. */
function inUnits(text: string, spans: readonly Span[]): readonly Span[] {
  const sure = spans.map((span) => ({ ...span, probability: 1 }))
  return toCodeUnits(text, sure).map(({ label, start, end }) => ({ label: kindOf(label), start, end }))
}

const piiTask = (name: string, answer: Answer): Task =>
  defineTask<PiiRow, FindingCounts>(
    {
      name,
      sets: "pii",
      baselineName: "rules",
      shown: [
        "default_f1",
        "texts_with_findings",
        "people_found",
        "people_counted",
        "people_false",
        "micro_f1",
        "precision",
        "recall",
        "recall_PERSON",
        "f1_PERSON",
        `f1_${kindOf("LOCATION")}`,
        `f1_${kindOf("ORG")}`,
      ],
      isServedBy: ({ heads }) => heads.some((head) => head.name === "pii"),
      async ask(asker, rows) {
        const texts = rows.map(({ text }) => text)
        const results = await classify<{ readonly spans: readonly MarkedSpan[] }>(asker, "pii", texts, "window")
        const answers = rows.map(async (row, place) => {
          const result = results[place]
          return result && count(row, await answer(row.text, result.spans))
        })
        return Promise.all(answers)
      },
      baseline: (row) => count(row, { found: inUnits(row.text, row.bag_of_words) }),
      figures: (cases) => ({ ...exactSpanFigures(cases.map(({ exact }) => exact)), ...findingFigures(cases) }),
    },
    readSets,
  )

function count({ text, spans, known }: PiiRow, { found, counted = found }: Said): FindingCounts {
  const marked = inUnits(text, spans)
  const asSource = asMarked(marked)
  return countFindings(marked, found.map(asSource), known?.map(kindOf), isDefault, counted.map(asSource))
}

/** Most sources call every date a date, also one of birth. */
function asMarked(marked: readonly Span[]): (span: Span) => Span {
  const dates = marked.filter(({ label }) => label === "DATE_TIME")
  return (span) => {
    const isDate = span.label === "BIRTH_DATE" && dates.some(({ start, end }) => start < span.end && span.start < end)
    return isDate ? { ...span, label: "DATE_TIME" } : span
  }
}

export const pii = piiTask("pii", withPatterns)
export const piiModel = piiTask("pii_model", alone)
