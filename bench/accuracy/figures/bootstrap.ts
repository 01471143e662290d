// How much a figure would change with other rows of the same kind.

import { quantile } from "../../_shared/statistics.ts"
import { createRandom } from "../../inference/random.ts"

export type Figures = Readonly<Record<string, number>>

/** A figure with the bounds that 95 of 100 resamples lie in. */
export interface Estimate {
  readonly value: number
  readonly low: number
  readonly high: number
}

const resamples = 1000
const seed = 20_260_101

/**
 * Estimates of all figures, from resamples of whole cases with replacement; the same in every run.
 * Figures that are no number, as where a set has one label only, are left out.
 */
export function estimate<Case>(
  cases: readonly Case[],
  figuresOf: (cases: readonly Case[]) => Figures,
): Readonly<Record<string, Estimate>> {
  const random = createRandom(seed)
  const drawn = Array.from({ length: resamples }, () =>
    figuresOf(cases.map(() => cases[Math.floor(random() * cases.length)] as Case)),
  )
  const found = Object.entries(figuresOf(cases)).filter(([, value]) => Number.isFinite(value))
  return Object.fromEntries(
    found.map(([name, value]) => {
      const values = drawn.map((figures) => figures[name] ?? Number.NaN).filter(Number.isFinite)
      return [name, { value: round(value), low: round(quantile(values, 0.025)), high: round(quantile(values, 0.975)) }]
    }),
  )
}

/** Four decimals: more would pretend a precision that no set of some hundred rows has. */
export function round(value: number): number {
  return Number(value.toFixed(4))
}
