// What a guard has read of the texts of a request, and the fact that follows.

import { type Fact, hasText, type MaybePromise, reasonOf, type TextRange } from "../../../kernel/index.ts"

/** The highest risk of the texts that were read, and why one of them was not. */
export interface Reading {
  readonly risk: number | undefined
  readonly failure: unknown
  /** Of a long text: the parts that it was read in, where the model tells them. */
  readonly parts?: readonly RiskyPart[]
}

export interface RiskyPart extends TextRange {
  readonly risk: number
}

/** Reads one text; rejects when nothing of it was read. */
export type Measure = (text: string) => Promise<Reading>

export const nothingRead: Reading = { risk: undefined, failure: undefined }

const failed = (failure: unknown): Reading => ({ risk: undefined, failure })

/** More texts that are made from one; a promise where that takes long. */
type MoreTexts = (text: string) => MaybePromise<readonly string[]>

/** What is read of a text. */
export interface ReadingOf {
  readonly measures: readonly Measure[]
  /** What it says behind its disguises. */
  readonly viewsOf: MoreTexts
  /** Parts that are read once more by themselves. */
  readonly excerpts?: { readonly of: MoreTexts; readonly measure: Measure; readonly thresholds: Thresholds }
}

/** Reads the texts, what stands behind their disguises, and their excerpts. `texts` throws where there are too many. */
export async function readAll(
  texts: () => readonly string[],
  { measures, viewsOf, excerpts }: ReadingOf,
): Promise<Reading> {
  // Asked without a pause where the texts are there at once, so that all questions are in one call.
  const readMore = async (made: MaybePromise<readonly string[]>, by: readonly Measure[]): Promise<Reading> =>
    joined(await Promise.all((made instanceof Promise ? await made : made).flatMap((each) => measured(each, by))))
  const disguised = async (text: string): Promise<Reading> => readMore(viewsOf(text), measures)
  const excerpted = async (text: string): Promise<Reading> =>
    excerpts === undefined
      ? nothingRead
      : needingMore(await readMore(excerpts.of(text), [excerpts.measure]), excerpts.thresholds)
  const readingsOf = (text: string): readonly Promise<Reading>[] => [
    ...measured(text, measures),
    disguised(text).catch(failed),
    excerpted(text).catch(failed),
  ]
  try {
    return joined(await Promise.all(texts().filter(hasText).flatMap(readingsOf)))
  } catch (error) {
    return failed(error)
  }
}

const measured = (text: string, measures: readonly Measure[]): readonly Promise<Reading>[] =>
  measures.map((measure) => measure(text).catch(failed))

/** Risks from which texts are attacks. */
export interface Thresholds {
  readonly threshold: number
  /** That of texts which need more certainty, no less than `threshold`. */
  readonly from: number
}

/**
 * Trusted texts and excerpts need more certainty to be an attack. Below that their risk is scaled, so that one number
 * tells whether a text has reached its threshold, and predicates and scores can compare it.
 */
export const needingMore = ({ risk, failure }: Reading, { threshold, from }: Thresholds): Reading => ({
  risk: risk === undefined || risk >= from || from === threshold ? risk : risk * (threshold / from),
  failure,
})

/** The highest risk, and the first failure. */
export const joined = (readings: readonly Reading[]): Reading => ({
  risk: readings.reduce<number | undefined>((risk, each) => highest(risk, each.risk), undefined),
  failure: readings.find(({ failure }) => failure !== undefined)?.failure,
})

const highest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one

/** An attack that was seen is one, whatever else was not read; without one, a truncated text leaves the question open. */
export function toFact(name: string, threshold: number, { risk, failure }: Reading): Fact {
  const matched = risk !== undefined && risk >= threshold
  if (failure !== undefined && !matched)
    return { rule: name, state: "unknown", confidence: 0, reason: reasonOf(failure) }
  const value = risk ?? 0
  const confidence = Math.min(1, Math.max(0, value))
  return {
    rule: name,
    state: matched ? "match" : "no_match",
    confidence,
    value,
    ...(failure !== undefined && { atLeast: true, reason: reasonOf(failure) }),
  }
}
