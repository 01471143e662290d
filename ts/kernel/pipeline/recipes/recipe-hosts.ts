// Which profile routes a request. Loads with the first document that has recipes, entrypoints or decisions with an action.

import { RtrError } from "../../error.ts"
import type { Plan } from "../../types/plan.ts"
import type { PipelineHost } from "../run.ts"
import { overridingHosts } from "./overriding-hosts.ts"

/** A host that knows those of the recipes. */
export async function withRecipes(
  host: PipelineHost,
  recipes: readonly Plan[],
  hostOf: (plan: Plan) => Promise<PipelineHost>,
): Promise<PipelineHost> {
  const byModel = new Map<string, PipelineHost>()
  const byRecipe = new Map([[host.plan.recipe ?? "", host]])
  for (const plan of recipes) {
    const own = await hostOf(plan)
    byRecipe.set(plan.recipe ?? "", own)
    for (const name of plan.autoNames) byModel.set(name, own)
  }
  const overriding = await overridingHosts(host.plan, hostOf)
  return {
    ...host,
    hostFor(model, recipe) {
      if (recipe === undefined) return byModel.get(model) ?? overriding.get(model)
      const named = byRecipe.get(recipe)
      if (named === undefined)
        throw new RtrError("not_found", `There is no recipe ${JSON.stringify(recipe)} in the active configuration`)
      return named
    },
  }
}
