// Several scores of the same models as one.

import { onScale } from "./scores.ts"

/** What one part says of the models, in their order. */
export interface Part {
  readonly weight: number
  readonly scores: readonly number[]
  /** The model that it would choose, and how sure it is. */
  readonly best: number
  readonly confidence: number
}

/** Weighted means of the parts; a cheap model gains up to `costWeight` of its own. Prices may be unknown. */
export function blend(
  parts: readonly Part[],
  prices: readonly (number | undefined)[],
  { normalized, costWeight }: { readonly normalized: boolean; readonly costWeight: number },
): readonly number[] {
  const sum = parts.reduce((total, { weight }) => total + weight, 0)
  const means = prices.map(() => 0)
  for (const { weight, scores } of parts) {
    const scaled = normalized ? onScale(scores) : scores
    scaled.forEach((score, index) => {
      means[index] = (means[index] as number) + (weight * (score as number)) / sum
    })
  }
  // Prices that do not differ say nothing.
  const differ = new Set(prices.filter((price) => price !== undefined)).size > 1
  const dear = onScale(prices)
  return means.map((mean, index) => {
    const share = dear[index]
    return share === undefined || !differ ? mean : mean * (1 + (1 - share) * costWeight)
  })
}
