// The quality of a model, from 0 to 1: what its card says, or what follows from evaluations.

import type { ConfigDocument } from "../document-schema.ts"
import type { CardWith, Evaluation } from "./evaluation.ts"

/** Ratings by those who run the router say more about its requests than any benchmark. */
const operatorRating = /(^|\/)operator-rating(@|$)/

/**
 * The operator's last rating, otherwise the mean over the benchmarks of the mean of their metrics. Undefined where no metric is a
 * share or a percentage.
 */
export function qualityOf(evaluations: readonly Evaluation[]): number | undefined {
  const rating = evaluations.findLast(({ benchmark }) => operatorRating.test(benchmark))
  const rated = rating && scoreOf([rating])
  if (rated !== undefined) return rated
  const scores = [...Map.groupBy(evaluations, ({ benchmark }) => benchmark).values()].flatMap(
    (runs) => scoreOf(runs) ?? [],
  )
  return mean(scores)
}

const scoreOf = (runs: readonly Evaluation[]): number | undefined =>
  mean(runs.flatMap(({ metrics }) => mean(Object.values(metrics).flatMap((value) => shareOf(value) ?? [])) ?? []))

/** Percentages become shares; a number of another scale says nothing without it. */
function shareOf(value: number): number | undefined {
  if (value < 0 || value > 100) return undefined
  return value <= 1 ? value : value / 100
}

const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length

/** Puts the quality into cards that say none; a model without a card gets one. */
export function createCardWith({ evaluation: { records = [] } = {} }: ConfigDocument): CardWith {
  const recorded = Map.groupBy(records, ({ model }) => model)
  return (model, card) => {
    if (card?.quality_score !== undefined) return card
    const quality = qualityOf([...(card?.evaluations ?? []), ...(recorded.get(model) ?? [])])
    return quality === undefined ? card : { name: model, ...card, quality_score: quality }
  }
}
