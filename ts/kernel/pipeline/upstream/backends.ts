// Spreads the calls of one model over its backends by weight.

import type { ModelTarget, TargetBackend } from "../../types/plan.ts"

/**
 * Earliest deadline first: each pick moves a backend's deadline by 1/weight, which interleaves backends smoothly instead of
 * sending bursts. State belongs to the target and so to one configuration version.
 */
const deadlinesOf = new WeakMap<ModelTarget, number[]>()

export function pickBackend(target: ModelTarget): TargetBackend {
  const { backends } = target
  if (backends.length === 1) return backends[0] as TargetBackend
  let deadlines = deadlinesOf.get(target)
  if (deadlines === undefined) {
    deadlines = backends.map(({ weight }) => 1 / weight)
    deadlinesOf.set(target, deadlines)
  }
  const next = deadlines.indexOf(Math.min(...deadlines))
  const backend = backends[next] as TargetBackend
  deadlines[next] = (deadlines[next] ?? 0) + 1 / backend.weight
  return backend
}
