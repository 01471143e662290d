// Whether probabilities are what they say.

export interface StatedCase {
  readonly isRight: boolean
  /** Probability of the given answer, 0 to 1. */
  readonly probability: number
}

/** Answers of about the same probability. Means are NaN in an empty bin. */
export interface Bin {
  readonly from: number
  readonly to: number
  readonly count: number
  readonly meanProbability: number
  readonly rightShare: number
}

export const binCount = 15

/** The expected calibration error: gaps between stated and true share, weighed by the bins' sizes. */
export function calibrationError(cases: readonly StatedCase[]): number {
  return binsOf(cases)
    .filter(({ count }) => count > 0)
    .reduce((sum, bin) => sum + (bin.count / cases.length) * Math.abs(bin.meanProbability - bin.rightShare), 0)
}

/** Equally wide bins. */
export function binsOf(cases: readonly StatedCase[]): readonly Bin[] {
  const sums = Array.from({ length: binCount }, () => ({ count: 0, probability: 0, right: 0 }))
  for (const { isRight, probability } of cases) {
    const sum = sums[Math.min(Math.floor(probability * binCount), binCount - 1)]
    if (sum === undefined) continue
    sum.count += 1
    sum.probability += probability
    if (isRight) sum.right += 1
  }
  return sums.map(({ count, probability, right }, place) => ({
    from: place / binCount,
    to: (place + 1) / binCount,
    count,
    meanProbability: probability / count,
    rightShare: right / count,
  }))
}
