// Figures of answers that say how likely the positive label is.

export interface RankedCase {
  readonly isPositive: boolean
  /** Probability of the positive label. */
  readonly score: number
  /** The probability from which the answer counts as positive. */
  readonly threshold: number
}

/** What a threshold gives, and, where both kinds occur, how well the scores part them. */
export function rankingFigures(cases: readonly RankedCase[]): Readonly<Record<string, number>> {
  const positives = cases.filter(({ isPositive }) => isPositive)
  const negatives = cases.filter(({ isPositive }) => !isPositive)
  const taken = ({ score, threshold }: RankedCase): boolean => score >= threshold
  const scoresOf = (some: readonly RankedCase[]): readonly number[] => some.map(({ score }) => score)
  return {
    auc: areaUnderCurve(scoresOf(positives), scoresOf(negatives)),
    recall_at_1_percent: recallAtFalsePositives(scoresOf(positives), scoresOf(negatives), 1),
    recall: positives.filter(taken).length / positives.length,
    false_positives: negatives.filter(taken).length / negatives.length,
  }
}

/** The chance that a positive scores above a negative, equal scores counting half. NaN where one kind is absent. */
export function areaUnderCurve(positives: readonly number[], negatives: readonly number[]): number {
  const all = [
    ...positives.map((score) => ({ score, isPositive: true })),
    ...negatives.map((score) => ({ score, isPositive: false })),
  ].toSorted((a, b) => a.score - b.score)
  let rankSum = 0
  for (let first = 0; first < all.length;) {
    let last = first
    while (last + 1 < all.length && all[last + 1]?.score === all[first]?.score) last += 1
    // Ranks count from 1; equal scores share the mean of theirs.
    const rank = (first + last) / 2 + 1
    for (let place = first; place <= last; place += 1) if (all[place]?.isPositive === true) rankSum += rank
    first = last + 1
  }
  const count = positives.length
  return (rankSum - (count * (count + 1)) / 2) / (count * negatives.length)
}

/** Share of the positives that score above a limit which at most `percent` of the negatives exceed. NaN where one kind is absent. */
export function recallAtFalsePositives(
  positives: readonly number[],
  negatives: readonly number[],
  percent: number,
): number {
  const limit = negatives.toSorted((a, b) => b - a)[Math.floor((negatives.length * percent) / 100)]
  if (limit === undefined) return Number.NaN
  return positives.filter((score) => score > limit).length / positives.length
}
