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

/** What is read of a text; both are a promise for a long one. */
export interface ReadingOf {
  readonly measures: readonly Measure[]
  /** What else it may say. */
  readonly viewsOf: (text: string) => MaybePromise<readonly string[]>
  /** A part of it that is read once more without the rest. */
  readonly excerpt?: {
    readonly of: (text: string) => MaybePromise<string | undefined>
    readonly measure: Measure
    readonly thresholds: Thresholds
  }
}

/** Reads the texts, what stands behind their disguises, and their excerpts. `texts` throws where there are too many. */
export async function readAll(
  texts: () => readonly string[],
  { measures, viewsOf, excerpt }: ReadingOf,
): Promise<Reading> {
  const measured = (text: string): readonly Promise<Reading>[] => measures.map((measure) => measure(text).catch(failed))
  // Asked without a pause where the views are there at once, so that all questions are in one call.
  const disguised = async (text: string): Promise<Reading> => {
    const views = viewsOf(text)
    return joined(await Promise.all((views instanceof Promise ? await views : views).flatMap(measured)))
  }
  const excerpted = async (text: string): Promise<Reading> => {
    const part = excerpt?.of(text)
    const found = part instanceof Promise ? await part : part
    return excerpt === undefined || found === undefined
      ? nothingRead
      : needingMore(await excerpt.measure(found), excerpt.thresholds)
  }
  const readingsOf = (text: string): readonly Promise<Reading>[] => [
    ...measured(text),
    disguised(text).catch(failed),
    excerpted(text).catch(failed),
  ]
  try {
    return joined(await Promise.all(texts().filter(hasText).flatMap(readingsOf)))
  } catch (error) {
    return failed(error)
  }
}

/** Risks from which texts are attacks. */
export interface Thresholds {
  readonly threshold: number
  /** That of texts which need more certainty, no less than `threshold`. */
  readonly from: number
}

/**
 * Instructions, and sentences without their text, need more certainty to be an attack. Below that their risk counts by how near
 * it comes, so that one number tells whether a text has reached its threshold, and predicates and scores can compare it.
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
