// The plans of recipes. Loads with the first document that has recipes or entrypoints.

import { isRtrError, RtrError } from "../../error.ts"
import type { Registry } from "../../modules/registry.ts"
import type { Plan } from "../../types/plan.ts"
import type { NeededDeployment, neededDeployments } from "../bindings.ts"
import type { CompiledPlan, CompileOptions, compilePlan } from "../compile.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { defaultRecipe, inRecipe, profilesOf, type RecipeEntry, recipeView } from "./view.ts"

/** The plan of the document with those of its recipes. Models are shared, and so is what is known of their backends. */
export async function compileRecipes(options: CompileOptions, compile: typeof compilePlan): Promise<CompiledPlan> {
  const { document } = options
  const compiled = [await compile(options)]
  const close = async (): Promise<void> => {
    for (const each of compiled.toReversed()) await each.close()
  }
  const { plan: main } = compiled[0] as CompiledPlan
  const recipes: Plan[] = []
  try {
    for (const [index, recipe] of (document.recipes ?? []).entries()) {
      const own = await compileRecipe(recipe, index, { ...options, models: main.models }, compile)
      compiled.push(own)
      recipes.push({ ...own.plan, ...namesOf(document, recipe.name, []) })
    }
  } catch (error) {
    await close()
    throw error
  }
  return { plan: Object.freeze({ ...main, ...namesOf(document, defaultRecipe, main.autoNames), recipes }), close }
}

/** A fallback has a breaker for each model, so a recipe that has one of its own has models of its own. */
async function compileRecipe(
  recipe: RecipeEntry,
  index: number,
  { models, ...options }: CompileOptions,
  compile: typeof compilePlan,
): Promise<CompiledPlan> {
  const { name, routing } = recipe
  const keyOf = (decision: string): string => `${encodeURIComponent(name)}::${encodeURIComponent(decision)}`
  try {
    const { plan, close } = await compile({
      ...options,
      document: recipeView(options.document, recipe),
      keyOf,
      ...(!hasOwnFallback(options.document, routing) && { models }),
    })
    return { plan: { ...plan, keyOf }, close }
  } catch (error) {
    if (!isRtrError(error) || error.path === undefined) throw error
    throw new RtrError(error.code, error.message, { path: inRecipe(error.path, index), cause: error })
  }
}

/** One that the default profile does not have: written there, of a decision, or the router's that `routing` changes. */
function hasOwnFallback({ routing, global }: ConfigDocument, own: RecipeEntry["routing"]): boolean {
  const changes = routing?.fallback !== undefined || routing?.decisions?.some(({ fallback }) => fallback !== undefined)
  return (
    own?.fallback !== undefined ||
    own?.decisions?.some(({ fallback }) => fallback !== undefined) === true ||
    (global?.router?.fallback !== undefined && changes === true)
  )
}

/** Names that clients use for a recipe mean automatic routing by its plan. */
const namesOf = (
  { entrypoints = [] }: ConfigDocument,
  recipe: string,
  names: readonly string[],
): Pick<Plan, "recipe" | "autoNames"> => ({
  recipe,
  autoNames: [...names, ...entrypoints.flatMap((entry) => (entry.recipe === recipe ? entry.model_names : []))],
})

/** Deployments that any of the profiles needs, each with the heads that any of them asks. */
export function deploymentsOf(
  document: ConfigDocument,
  registry: Registry,
  needed: typeof neededDeployments,
): readonly NeededDeployment[] {
  const all = new Map<string, NeededDeployment>()
  for (const deployment of profilesOf(document).flatMap((profile) => needed(profile, registry))) {
    const heads = [...(all.get(deployment.name)?.heads ?? []), ...(deployment.heads ?? [])]
    const each = new Map(heads.map((head) => [JSON.stringify(head), head]))
    all.set(deployment.name, { ...deployment, ...(each.size > 0 && { heads: [...each.values()] }) })
  }
  return [...all.values()]
}
