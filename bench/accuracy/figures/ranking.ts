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

export interface RankedCaseOfSet extends RankedCase {
  readonly set: string
}

/**
 * Means over sets, so that none of them is the figure: each set's positives among the negatives of all. Nothing where fewer
 * than two sets have positives.
 */
export function rankingFiguresBySet(cases: readonly RankedCaseOfSet[]): Readonly<Record<string, number>> {
  const negatives = cases.flatMap(({ isPositive, score }) => (isPositive ? [] : [score])).toSorted((a, b) => a - b)
  const bySet = new Map<string, number[]>()
  for (const { set, isPositive, score } of cases) {
    if (!isPositive) continue
    const scores = bySet.get(set)
    if (scores === undefined) bySet.set(set, [score])
    else scores.push(score)
  }
  if (bySet.size < 2 || negatives.length === 0) return {}
  const meanOf = (figure: (positives: readonly number[]) => number): number =>
    [...bySet.values()].reduce((sum, positives) => sum + figure(positives), 0) / bySet.size
  const limit = negatives[negatives.length - 1 - Math.floor(negatives.length / 100)] ?? Number.NaN
  return {
    auc_by_set: meanOf((some) => some.reduce((sum, score) => sum + shareBelow(negatives, score), 0) / some.length),
    recall_at_1_percent_by_set: meanOf((some) => some.filter((score) => score > limit).length / some.length),
  }
}

/** The share of sorted numbers that are smaller, equal ones counting half. */
function shareBelow(sorted: readonly number[], value: number): number {
  return (
    (countBelow(sorted, (other) => other < value) + countBelow(sorted, (other) => other <= value)) / 2 / sorted.length
  )
}

/** How many of the first ones fulfil a condition that no later one does. */
function countBelow(sorted: readonly number[], isBelow: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBelow(sorted[middle] ?? Number.NaN)) low = middle + 1
    else high = middle
  }
  return low
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
