// What a guard has read of the texts of a request, and the fact that follows.

import { type Fact, hasText, reasonOf } from "../../../kernel/index.ts"

/** The highest risk of the texts that were read, and why one of them was not. */
export interface Reading {
  readonly risk: number | undefined
  readonly failure: unknown
}

/** Reads one text; rejects when nothing of it was read. */
export type Measure = (text: string) => Promise<Reading>

export const nothingRead: Reading = { risk: undefined, failure: undefined }

const failed = (failure: unknown): Reading => ({ risk: undefined, failure })

/** `texts` throws where there are too many to read. */
export async function readAll(texts: () => readonly string[], measures: readonly Measure[]): Promise<Reading> {
  try {
    return joined(
      await Promise.all(
        texts()
          .filter(hasText)
          .flatMap((text) => measures.map((measure) => measure(text).catch(failed))),
      ),
    )
  } catch (error) {
    return failed(error)
  }
}

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
