// The quality of a model, from 0 to 1: what its card says, or what follows from evaluations. Selectors read it from the card.

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
  return (rating && scoreOf([rating])) ?? mean(Object.values(scoresOf(evaluations)))
}

/** The mean of its metrics for each benchmark that has shares or percentages; of operator ratings the last one. */
const scoresOf = (evaluations: readonly Evaluation[]): Readonly<Record<string, number>> => eachOf(evaluations, scoreOf)

/** The same, and the metric `score` of a benchmark with another scale, such as Elo: compared among models, it needs none. */
const benchmarkScores = (evaluations: readonly Evaluation[]): Readonly<Record<string, number>> =>
  eachOf(evaluations, (runs) => scoreOf(runs) ?? mean(runs.flatMap(({ metrics: { score = [] } }) => score)))

function eachOf(
  evaluations: readonly Evaluation[],
  score: (runs: readonly Evaluation[]) => number | undefined,
): Readonly<Record<string, number>> {
  const scores = [...Map.groupBy(evaluations, ({ benchmark }) => benchmark)].map(
    ([benchmark, runs]) => [benchmark, score(operatorRating.test(benchmark) ? runs.slice(-1) : runs)] as const,
  )
  return Object.fromEntries(scores.filter((entry): entry is readonly [string, number] => entry[1] !== undefined))
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

/** Puts `benchmark_scores` into cards with results, and the quality into those that say none; a model without a card gets one. */
export function createCardWith({ evaluation: { records = [] } = {} }: ConfigDocument): CardWith {
  const recorded = Map.groupBy(records, ({ model }) => model)
  return (model, card) => {
    const evaluations = [...(card?.evaluations ?? []), ...(recorded.get(model) ?? [])]
    if (evaluations.length === 0) return card
    const quality = card?.quality_score ?? qualityOf(evaluations)
    return {
      name: model,
      ...card,
      ...(quality !== undefined && { quality_score: quality }),
      benchmark_scores: benchmarkScores(evaluations),
    }
  }
}
