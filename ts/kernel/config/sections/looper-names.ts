// Names by which clients ask for a looper: its decisions alone answer. Loaded with the first document that has one.

import type { Plan } from "../../types/plan.ts"

/**
 * The plan with one more for each looper that has names: the same signals, and of the decisions those with its algorithm, and those that act
 * on attacks.
 * A name that the document gives to something else stays that.
 */
export function withLooperNames(plan: Plan): Plan {
  const loopers = new Map(
    plan.decisions.flatMap(({ algorithm, looper }) => (looper === undefined ? [] : [[algorithm, looper] as const])),
  )
  const recipes = [...(plan.recipes ?? [])]
  const taken = new Set([plan, ...recipes].flatMap(({ autoNames }) => autoNames))
  for (const [algorithm, { modelNames }] of loopers) {
    const names = modelNames.filter((name) => !taken.has(name) && !plan.models.has(name))
    if (names.length === 0) continue
    const { recipes: _, recipe: __, ...shared } = plan
    const decisions = plan.decisions.filter(
      (decision) => decision.algorithm === algorithm || decision.overridesModel === true,
    )
    // Who asks for a looper is not served by the default model.
    recipes.push({ ...shared, autoNames: names, decisions, defaultModel: undefined })
  }
  return recipes.length === 0 ? plan : Object.freeze({ ...plan, recipes })
}
