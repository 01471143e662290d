// How much slower models are than the fastest of them.

/**
 * Mean over the metrics of a candidate's value by the least one of all, in the order of the candidates; `Infinity` for a
 * candidate that lacks one of the metrics. Values are [candidates][metrics].
 */
export function latencyRatios(values: readonly (readonly (number | undefined)[])[]): readonly number[] {
  const complete = values.map((row) => (row.every((value) => value !== undefined) ? row : undefined))
  const known = complete.filter((row) => row !== undefined)
  const least = (metric: number): number => Math.max(tiny, Math.min(...known.map((row) => row[metric] as number)))
  return complete.map((row) =>
    row === undefined ? Infinity : row.reduce((sum, value, metric) => sum + value / least(metric), 0) / row.length,
  )
}

/** A time of 0 ms is one that was too short to be measured. */
const tiny = 1e-3
