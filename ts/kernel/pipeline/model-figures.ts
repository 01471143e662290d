// How models answer at the moment: what selectors weigh.

import type { Attempt } from "../types/call.ts"
import type { ModelFigures } from "../types/selector.ts"

/** Observations that are kept for each model. */
const windowSize = 100

export interface ModelFiguresKeeper {
  /** Says that a call to a model has begun; the returned function that it is over. */
  begin(model: string): (attempt: Attempt) => void
  read(model: string): ModelFigures
}

/** Figures live as long as the process: a new configuration does not make a model faster. */
export function createModelFigures(): ModelFiguresKeeper {
  const models = new Map<string, { inFlight: number; firstByteMs: number[]; perTokenMs: number[] }>()
  const figuresOf = (model: string) => {
    let figures = models.get(model)
    if (figures === undefined) models.set(model, (figures = { inFlight: 0, firstByteMs: [], perTokenMs: [] }))
    return figures
  }
  return {
    begin(model) {
      const figures = figuresOf(model)
      figures.inFlight += 1
      return ({ startMs, firstByteMs, endMs, usage }) => {
        figures.inFlight -= 1
        if (firstByteMs === undefined) return
        remember(figures.firstByteMs, firstByteMs - startMs)
        if (endMs !== undefined && usage !== undefined && usage.outputTokens > 0)
          remember(figures.perTokenMs, (endMs - firstByteMs) / usage.outputTokens)
      }
    },
    read: (model) => models.get(model) ?? none,
  }
}

const none: ModelFigures = { inFlight: 0, firstByteMs: [], perTokenMs: [] }

function remember(values: number[], value: number): void {
  values.push(value)
  if (values.length > windowSize) values.shift()
}
