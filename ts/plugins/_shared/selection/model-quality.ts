// How good a model is said to be.

export interface Quality {
  /** Higher is better; what the highest is depends on the benchmark. */
  readonly score: number
  /** Share of the benchmarks of an index that there are results for. */
  readonly coverage: number
}

interface Evaluation {
  readonly benchmark?: string
  readonly metrics?: { readonly score?: unknown }
}

/**
 * The card's score in a benchmark, or its `quality_score` where none is asked for; 0 there means that it is not known.
 * Undefined where the card does not say it.
 */
export function qualityOf(
  card: Readonly<Record<string, unknown>> | undefined,
  benchmark?: string,
): Quality | undefined {
  if (benchmark === undefined) {
    const score = card?.["quality_score"]
    return typeof score === "number" && score > 0 ? { score, coverage: 1 } : undefined
  }
  const evaluations = (card?.["evaluations"] ?? []) as readonly Evaluation[]
  const score = evaluations.find((evaluation) => evaluation.benchmark === benchmark)?.metrics?.score
  return typeof score === "number" ? { score, coverage: 1 } : undefined
}
