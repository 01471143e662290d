// What a guard for personal data finds: in texts that have none, and of the people in texts that have some.

import { f1Of, type LabelCount } from "./labels.ts"
import { countExactSpans, type Span, type SpanCounts } from "./spans.ts"

export interface FindingCounts {
  /** Spans of all kinds that the source marks. */
  readonly exact: SpanCounts
  /** Of these, the kinds that a rule looks for where it names none. */
  readonly exactDefault: SpanCounts
  /** Kinds of a rule that names none which were found; undefined where the text has some of them. */
  readonly foundInNone: readonly string[] | undefined
  /** People who are marked, of these found at least in part, spans that were said to be people, of these nobody. */
  readonly people: {
    readonly marked: number
    readonly met: number
    /** Of those that were met, how many a rule counts. */
    readonly counted: number
    readonly said: number
    readonly nobody: number
  }
}

/** `known` are the kinds that the source marks; absent means all. `counted` is what a rule counts of what was said. */
export function countFindings(
  marked: readonly Span[],
  said: readonly Span[],
  known: readonly string[] | undefined,
  isDefault: (kind: string) => boolean,
  counted: readonly Span[] = said,
): FindingCounts {
  const ofDefault = (spans: readonly Span[]): readonly Span[] =>
    spans.filter(({ label }) => isDefault(label) && (known === undefined || known.includes(label)))
  const isPerson = ({ label }: Span): boolean => label === "PERSON"
  const [people, names] = [marked.filter(isPerson), said.filter(isPerson)]
  const meets = (span: Span, others: readonly Span[]): boolean =>
    others.some(({ start, end }) => start < span.end && span.start < end)
  return {
    exact: countExactSpans(marked, said, known),
    exactDefault: countExactSpans(ofDefault(marked), ofDefault(said), known),
    foundInNone: ofDefault(marked).length > 0 ? undefined : [...new Set(ofDefault(counted).map(({ label }) => label))],
    people: {
      marked: people.length,
      met: people.filter((span) => meets(span, names)).length,
      counted: people.filter((span) => meets(span, counted.filter(isPerson))).length,
      said: names.length,
      nobody: names.filter((span) => !meets(span, people)).length,
    },
  }
}

/**
 * F1, precision and recall of the default kinds; people that were found, and that a rule counts, and findings of people who are none; and of the texts
 * without data of the default kinds, the share in which some was found, together and by kind.
 */
export function findingFigures(cases: readonly FindingCounts[]): Readonly<Record<string, number>> {
  const counts = cases.flatMap(({ exactDefault }) => Object.values(exactDefault))
  const all = counts.reduce<LabelCount>(
    (sum, { right, marked, said }) => ({
      right: sum.right + right,
      marked: sum.marked + marked,
      said: sum.said + said,
    }),
    { right: 0, marked: 0, said: 0 },
  )
  const people = (key: keyof FindingCounts["people"]): number => cases.reduce((sum, one) => sum + one.people[key], 0)
  const none = cases.flatMap(({ foundInNone }) => (foundInNone === undefined ? [] : [foundInNone]))
  const kinds = [...new Set(none.flat())].toSorted()
  const shareOf = (isCounted: (found: readonly string[]) => boolean): number =>
    none.filter(isCounted).length / none.length
  return {
    default_f1: all.marked === 0 ? Number.NaN : f1Of(all),
    default_precision: all.marked === 0 ? Number.NaN : all.right / all.said,
    default_recall: all.right / all.marked,
    people_found: people("met") / people("marked"),
    people_counted: people("counted") / people("marked"),
    people_false: people("marked") === 0 ? Number.NaN : people("nobody") / people("said"),
    texts_with_findings: shareOf((found) => found.length > 0),
    ...Object.fromEntries(kinds.map((kind) => [`texts_with_${kind}`, shareOf((found) => found.includes(kind))])),
  }
}
