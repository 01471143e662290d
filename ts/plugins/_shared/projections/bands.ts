// Which outputs of a mapping hold for a score, and how sure that is.

import { predicateHolds } from "../../../kernel/index.ts"
import type { Mapping, Output } from "./section.ts"

const defaultSlope = 12

/** Which outputs hold, by their position: the first one, or all with `multi_emit`. */
export function outputsFor({ method, outputs }: Mapping, score: number): readonly boolean[] {
  if (method === "multi_emit") return outputs.map((output) => predicateHolds(output, score))
  const first = outputs.findIndex((output) => predicateHolds(output, score))
  return outputs.map((_, index) => index === first)
}

/** One half at a bound, and the nearer to 1 the farther the score is from the nearest bound of the output. */
export function confidenceOf({ calibration }: Mapping, { gt, gte, lt, lte }: Output, score: number): number {
  const slope = calibration?.slope || defaultSlope
  let distance = Infinity
  for (const bound of [gt, gte, lt, lte])
    if (bound !== undefined) distance = Math.min(distance, Math.abs(score - bound))
  return 1 / (1 + Math.exp(-slope * distance))
}
