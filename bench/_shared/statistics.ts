// Medians, quantiles and spreads of small samples.

/** Middle of the rounds with the lowest and the highest. */
export interface Spread {
  readonly median: number
  readonly lowest: number
  readonly highest: number
}

/** Nearest-rank quantile; `share` lies between 0 and 1. NaN for an empty sample. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN
}

/** Mean of the two middle values where there is no middle one. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return Number.isInteger(middle)
    ? ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
    : (sorted[Math.floor(middle)] ?? Number.NaN)
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: short(median(values)), lowest: short(Math.min(...values)), highest: short(Math.max(...values)) }
}

/** Round by round, because two measurements of one round stand closest in time. */
export function spreadOfPairs(
  a: readonly number[],
  b: readonly number[],
  combine: (a: number, b: number) => number,
): Spread {
  return spreadOf(a.map((value, round) => combine(value, b[round] ?? Number.NaN)))
}

export const ratio = (a: number, b: number): number => a / b
export const difference = (a: number, b: number): number => a - b

/** Four significant digits: more would pretend a precision that no bench has. */
export function short(value: number): number {
  return Number(value.toPrecision(4))
}
