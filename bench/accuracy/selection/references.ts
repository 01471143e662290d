// What selectors are compared with: chance, every single model, and a choice that knows the answers.

import { createRandom } from "../../inference/random.ts"
import { costWeights } from "./artefacts.ts"
import type { Outcomes } from "./outcomes.ts"
import { singleModels } from "./report.ts"

const seed = 20_260_105

/** Choices by setting. */
export function referencePolicies({
  models,
  questions,
}: Outcomes): ReadonlyMap<string, ReadonlyMap<string, readonly number[]>> {
  const random = createRandom(seed)
  const oracle = (weight: number): readonly number[] =>
    questions.map(({ right, costs }) => {
      const worth = right.map((isRight, model) => Number(isRight) - (weight + 1e-6) * (costs[model] as number))
      return worth.indexOf(Math.max(...worth))
    })
  return new Map([
    ["random", new Map([["each model as often", questions.map(() => Math.floor(random() * models.length))]])],
    [singleModels, new Map(models.map(({ name }, model) => [name, questions.map(() => model)]))],
    ["oracle", new Map(costWeights.map((weight) => [`cost ${weight}`, oracle(weight)]))],
  ])
}
