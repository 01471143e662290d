// Chooses by a quality predictor: the chance of a right answer, less what the call costs.

import { type Candidate, type Choice, type Log, RtrError, type SelectorReader } from "../../../kernel/index.ts"
import type { ModelSelection } from "./model-selection.ts"
import { costOfThousand, findMeasured, isProbed, type MeasuredModel, type Predictor } from "./quality-predictor.ts"
import { requestTokens } from "./request-tokens.ts"
import { clamp, short } from "./scores.ts"

export interface PredictedHost {
  readonly candidates: readonly Candidate[]
  readonly settings: ModelSelection
  readonly log: Log
  embedAll(texts: readonly string[]): Promise<readonly Float32Array[]>
}

interface Known {
  readonly candidate: number
  /** Number among the measured models. */
  readonly measured: number
  readonly model: MeasuredModel
  readonly pricing: { readonly promptPer1m: number; readonly completionPer1m: number }
}

/**
 * Rejects with a `TypeError` that says why the predictor cannot choose here: none of the candidates was measured, or the
 * vectors are those of another model. Candidates that were not measured are told in the log and never chosen.
 */
export async function createPredictedSelector(
  predictor: Predictor,
  { candidates, settings: { ml = {} }, log, embedAll }: PredictedHost,
): Promise<SelectorReader<"inference.embed">> {
  const { cost_weight: costWeight = 0, measured_as: measuredAs = {} } = ml
  const known = candidates.flatMap(({ model, pricing }, candidate): readonly Known[] => {
    const measured = findMeasured(predictor.models, measuredAs[model] ?? model)
    const found = predictor.models[measured]
    return found === undefined ? [] : [{ candidate, measured, model: found, pricing: pricing ?? pricesOf(found) }]
  })
  if (known.length === 0) throw new TypeError("none of the candidates is among the models that it has measured")
  const { probe } = predictor.vectors
  const [vector = new Float32Array()] = await embedAll([probe.text])
  if (!isProbed(predictor, vector))
    throw new TypeError(
      `it reads vectors of the package ${predictor.vectors.package}, and the binding embedding names another`,
    )
  const unknown = candidates.filter((_, index) => known.every(({ candidate }) => candidate !== index))
  if (unknown.length > 0)
    log("warning", "selector_candidates_unmeasured", { models: unknown.map(({ model }) => model).join(", ") })
  return {
    async select({ text, request }, { embed }): Promise<Choice> {
      const asked = await embed(text)
      if (asked.length !== predictor.dimension)
        throw new RtrError("invalid_model_output", `A vector has ${asked.length} numbers, not ${predictor.dimension}`)
      const chances = predictor.chances(asked)
      const tokens = costWeight === 0 ? 0 : requestTokens(request).context
      const ranked = known.map(({ candidate, measured, model, pricing }) => {
        const chance = chances[measured] as number
        const cost = costOfThousand(tokens, pricing, model.mean_completion_tokens)
        return { candidate, chance, cost, worth: chance - costWeight * cost }
      })
      const best = ranked.reduce((first, next) =>
        next.worth > first.worth || (next.worth === first.worth && next.cost < first.cost) ? next : first,
      )
      return {
        candidate: best.candidate,
        confidence: best.chance,
        reason: `the best chance of a right answer for its price (${short(best.chance)})`,
        ...(unknown.length === 0 && { scores: ranked.map(({ worth }) => clamp(worth)) }),
      }
    },
  }
}

const pricesOf = ({ prompt_per_1m: promptPer1m, completion_per_1m: completionPer1m }: MeasuredModel) => ({
  promptPer1m,
  completionPer1m,
})
