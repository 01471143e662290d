// Percentiles of what was observed.

/** Fewer observations tell nothing. */
const leastObservations = 3

/** The smallest observation that so many per cent do not exceed; undefined while there are fewer than three. */
export function percentile(observed: readonly number[], percent: number): number | undefined {
  if (observed.length < leastObservations) return undefined
  const rank = Math.ceil((percent / 100) * observed.length)
  return Float64Array.from(observed).toSorted()[Math.max(1, rank) - 1]
}
