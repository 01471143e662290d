// How much the caches of backends speak for staying with a model in a conversation that goes on.

import { clamp } from "./scores.ts"

export interface Conversation {
  /** Tokens of the request, and those of earlier turns. */
  readonly context: number
  readonly history: number
  readonly turns: number
  /** The model that answered last, where that is known. */
  readonly previousModel: string | undefined
  readonly hasPreviousResponse: boolean
}

/** Additions to the scores, in the order of the models; zeros where nothing goes on. Each is smaller than 0.14. */
export function cacheAffinity(
  { context, history, turns, previousModel, hasPreviousResponse }: Conversation,
  models: readonly { readonly name: string; readonly window: number | undefined }[],
  scores: readonly number[],
): readonly number[] {
  const goesOn = turns > 0 || history > 0 || hasPreviousResponse
  if (!goesOn || models.length < 2) return scores.map(() => 0)
  const reuse = clamp(history / Math.max(1, context))
  const mass = clamp(history / 4096)
  const depth = clamp(turns / 4)
  const measured = clamp(0.45 * reuse + 0.3 * mass + 0.25 * depth)
  const weight = hasPreviousResponse ? Math.max(0.15, measured) : measured
  const [first = 0, second = 0] = scores.toSorted((a, b) => b - a)
  // A clear winner stays one.
  const strength = 0.14 * weight * clamp(1 - (first - second) / 0.2)
  const known = previousModel === undefined ? 0 : 1
  return models.map(({ name, window }) => {
    const same = name === previousModel ? 1 : 0
    const fit = windowFit(context, window)
    const effect =
      0.5 * same + 0.35 * same * reuse + 0.15 * same * depth - 0.35 * (1 - same) * weight + 0.15 * (fit - 0.5)
    const certainty =
      clamp(0.15 + 0.35 * reuse + 0.2 * mass + 0.15 * depth + 0.15 * fit + 0.15 * known) * (known === 1 ? 1 : 0.6)
    return strength * certainty * Math.tanh(effect)
  })
}

function windowFit(context: number, window: number | undefined): number {
  if (window === undefined || window <= 0) return 0.5
  const share = context / window
  return share <= 0.5 ? 1 : share <= 0.75 ? 0.7 : share <= 1 ? 0.3 : 0
}
