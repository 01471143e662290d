// Scores of candidates: on one scale, as probabilities, and the best of them.

/** On a scale from 0 to 1, the least being 0; 0.5 for each where all are equal. What is undefined stays so. */
export function onScale(values: readonly (number | undefined)[]): readonly (number | undefined)[] {
  const known = values.filter((value) => value !== undefined)
  const least = Math.min(...known)
  const span = Math.max(...known) - least
  return values.map((value) => (value === undefined ? undefined : span > 0 ? (value - least) / span : 0.5))
}

export function softmax(values: readonly number[]): readonly number[] {
  const highest = Math.max(...values)
  const powers = values.map((value) => Math.exp(value - highest))
  const sum = powers.reduce((total, power) => total + power, 0)
  return powers.map((power) => power / sum)
}

export const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value))

export const clamp = (value: number): number => Math.min(1, Math.max(0, value))

/** Position of the highest, the first of equals. */
export const highestOf = (values: readonly number[]): number =>
  values.reduce((best, value, index) => (value > (values[best] as number) ? index : best), 0)

/** The highest of the others; undefined where there are none. */
export function nextBest(values: readonly number[], best: number): number | undefined {
  const others = values.filter((_, index) => index !== best)
  return others.length === 0 ? undefined : Math.max(...others)
}

/** How a number reads in a reason. */
export const short = (value: number): string => String(Number(value.toPrecision(3)))
