// How good a model is said to be.

export interface Quality {
  /** Higher is better; from 0 to 1, but for a benchmark with a scale of its own. */
  readonly score: number
  /** Share of the benchmarks of an index that there are results for. */
  readonly coverage: number
}

/**
 * The card's score in a benchmark, or its `quality_score` where none is asked for; 0 there means that it is not known. The
 * kernel has put both there, from what the card and the evaluations of the document say. Undefined where they say nothing.
 */
export function qualityOf(
  card: Readonly<Record<string, unknown>> | undefined,
  benchmark?: string,
): Quality | undefined {
  if (benchmark === undefined) {
    const score = card?.["quality_score"]
    return typeof score === "number" && score > 0 ? { score, coverage: 1 } : undefined
  }
  const scores = (card?.["benchmark_scores"] ?? {}) as Readonly<Record<string, number>>
  return Object.hasOwn(scores, benchmark) ? { score: scores[benchmark] as number, coverage: 1 } : undefined
}
