// Which of several measured models is best, by weights or by one factor after the other.

import { highestOf, nextBest, onScale, short } from "./scores.ts"

export const factors = ["quality", "latency", "cost", "load"] as const
export type Factor = (typeof factors)[number]

/** Raw values; undefined where they are not known. Of quality more is better, of the others less. */
export interface Measured {
  readonly quality: number | undefined
  readonly latency: number | undefined
  readonly cost: number | undefined
  readonly load: number | undefined
}

export interface Chosen {
  readonly best: number
  readonly confidence: number
  readonly why: string
  /** Left out where ranks are no amounts. */
  readonly scores?: readonly number[]
}

/** A factor that is not known of a model counts 0 for it. The first of equals is chosen. */
export function chooseByWeights(measured: readonly Measured[], weights: Readonly<Record<Factor, number>>): Chosen {
  const scores = measured.map(() => 0)
  for (const factor of factors)
    onScale(measured.map((each) => each[factor])).forEach((value, index) => {
      if (value === undefined) return
      scores[index] = (scores[index] as number) + weights[factor] * (factor === "quality" ? value : 1 - value)
    })
  const best = highestOf(scores)
  return {
    best,
    confidence: confidenceOf(scores, best),
    why: `the best weighted score (${short(scores[best] as number)})`,
    scores,
  }
}

/**
 * Each factor keeps the models whose value is within its tolerance of the best, and the next one compares those. A model
 * that lacks what others have is not kept; a factor that none has keeps all.
 */
export function chooseByPriority(
  measured: readonly Measured[],
  priorities: readonly { readonly factor: Factor; readonly tolerance?: number }[],
): Chosen {
  const scores = measured.map(() => 1)
  let kept = measured.map((_, index) => index)
  let decisive: Factor | undefined
  for (const [stage, { factor, tolerance = 0 }] of priorities.entries()) {
    const valueOf = (index: number): number | undefined => measured[index]?.[factor]
    const known = kept.map(valueOf).filter((value) => value !== undefined)
    if (known.length === 0) continue
    const best = factor === "quality" ? Math.max(...known) : Math.min(...known)
    const margin = Math.abs(best) * tolerance
    const isKept = (value: number | undefined): boolean =>
      value !== undefined && (factor === "quality" ? value >= best - margin : value <= best + margin)
    for (const index of kept) if (!isKept(valueOf(index))) scores[index] = stage / (priorities.length + 1)
    const rest = kept.filter((index) => isKept(valueOf(index)))
    if (rest.length < kept.length) decisive = factor
    kept = rest
    if (kept.length === 1) break
  }
  const best = kept[0] as number
  return {
    best,
    confidence: confidenceOf(scores, best),
    why: decisive === undefined ? "the first of equals by priority" : `the best by priority, at last by ${decisive}`,
  }
}

function confidenceOf(scores: readonly number[], best: number): number {
  const second = nextBest(scores, best)
  if (second === undefined) return 1
  const score = scores[best] as number
  return score > 0 ? Math.min(1, (score - second) / score + 0.5) : 0.5
}
