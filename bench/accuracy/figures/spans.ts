// Figures of answers that are parts of a text.

import { f1Of, type LabelCount } from "./labels.ts"

/** Code points `start` to `end`, end exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly label: string
}

/** Counts of spans by kind, or of characters under one name. */
export type SpanCounts = Readonly<Record<string, LabelCount>>

/** Spans that are right in both ends and in kind. `known` are the kinds that the source marks; absent means all. */
export function countExactSpans(
  marked: readonly Span[],
  said: readonly Span[],
  known: readonly string[] | undefined,
): SpanCounts {
  const keyOf = ({ start, end, label }: Span): string => `${start} ${end} ${label}`
  const expected = new Map(marked.map((span) => [keyOf(span), span]))
  const answered = new Map(
    said.filter(({ label }) => known === undefined || known.includes(label)).map((span) => [keyOf(span), span]),
  )
  const kinds = new Set([...expected.values(), ...answered.values()].map(({ label }) => label))
  return Object.fromEntries(
    [...kinds].map((kind) => {
      const ofKind = ([, { label }]: readonly [string, Span]): boolean => label === kind
      const wanted = [...expected].filter(ofKind)
      return [
        kind,
        {
          right: wanted.filter(([key]) => answered.has(key)).length,
          marked: wanted.length,
          said: [...answered].filter(ofKind).length,
        },
      ]
    }),
  )
}

/** Characters inside of any span, each counted once. */
export function countCharacters(marked: readonly Span[], said: readonly Span[]): LabelCount {
  const expected = charactersOf(marked)
  const answered = charactersOf(said)
  const right = [...expected].filter((place) => answered.has(place)).length
  return { right, marked: expected.size, said: answered.size }
}

function charactersOf(spans: readonly Span[]): Set<number> {
  return new Set(spans.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, place) => start + place)))
}

/** Micro F1, precision and recall over all kinds; F1 and recall of each kind that is marked. */
export function exactSpanFigures(cases: readonly SpanCounts[]): Readonly<Record<string, number>> {
  const byKind = new Map<string, LabelCount>()
  for (const counts of cases)
    for (const [kind, count] of Object.entries(counts)) byKind.set(kind, add(byKind.get(kind), count))
  const all = [...byKind.values()].reduce((sum, count) => add(sum, count), nothing)
  const marked = [...byKind].filter(([, count]) => count.marked > 0)
  return {
    // Where nothing is marked, nothing can be right.
    micro_f1: all.marked === 0 ? Number.NaN : f1Of(all),
    precision: all.marked === 0 ? Number.NaN : all.right / all.said,
    recall: all.right / all.marked,
    ...Object.fromEntries(marked.map(([kind, count]) => [`f1_${kind}`, f1Of(count)])),
    ...Object.fromEntries(marked.map(([kind, { right, marked: of }]) => [`recall_${kind}`, right / of])),
  }
}

/** F1, precision and recall of characters. */
export function characterFigures(cases: readonly LabelCount[]): Readonly<Record<string, number>> {
  const all = cases.reduce((sum, count) => add(sum, count), nothing)
  return { character_f1: f1Of(all), precision: all.right / all.said, recall: all.right / all.marked }
}

const nothing: LabelCount = { right: 0, marked: 0, said: 0 }

function add(a: LabelCount | undefined, b: LabelCount): LabelCount {
  if (a === undefined) return b
  return { right: a.right + b.right, marked: a.marked + b.marked, said: a.said + b.said }
}
