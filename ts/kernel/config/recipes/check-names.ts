// Names of recipes and entrypoints: who may have which, and what they refer to.

import type { DocumentPath } from "../../error.ts"
import { invalid, type Problem, suggestion } from "../../schema/problem.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { defaultRecipe } from "./view.ts"

/** `autoNames` are the names of automatic routing. May trip over a document of a wrong shape. */
export const checkNames = (document: ConfigDocument, autoNames: readonly string[]): readonly Problem[] => [
  ...checkRecipes(document),
  ...checkEntrypoints(document, autoNames),
]

function checkRecipes({ recipes = [], routing = {} }: ConfigDocument): readonly Problem[] {
  const filled = Object.entries(routing).flatMap(([key, value]) =>
    ["signals", "projections", "decisions"].includes(key) && !isEmpty(value) ? [key] : [],
  )
  return recipes.flatMap(({ name, routing: own = {} }, index) => {
    const at: DocumentPath = ["recipes", index]
    const problems: Problem[] = []
    if (name !== name.trim()) problems.push(invalid([...at, "name"], `"${name}" has spaces around it`))
    const first = recipes.findIndex((each) => each.name === name)
    if (first < index) problems.push(invalid([...at, "name"], `"${name}" is the name of recipes[${first}] already`))
    if (name === defaultRecipe && filled.length > 0)
      problems.push(
        invalid(
          [...at, "name"],
          `"${name}" is the profile that routing has, with ${filled.join(", ")}; move all of it into this recipe, or give the recipe another name`,
        ),
      )
    if ("modelCards" in own)
      problems.push(invalid([...at, "routing", "modelCards"], "belongs to routing.modelCards, which all recipes share"))
    return problems
  })
}

/** Sections without entries say as much as none. */
const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === "object" && Object.values(value as object).every(isEmpty))

function checkEntrypoints(document: ConfigDocument, autoNames: readonly string[]): readonly Problem[] {
  const { recipes = [], entrypoints = [] } = document
  const known = new Set([defaultRecipe, ...recipes.map(({ name }) => name)])
  const taken = takenNames(document, autoNames)
  const problems: Problem[] = []
  for (const [index, { recipe, model_names: names }] of entrypoints.entries()) {
    const at: DocumentPath = ["entrypoints", index]
    if (!known.has(recipe))
      problems.push(invalid([...at, "recipe"], `"${recipe}" is not in recipes${suggestion(recipe, known)}`))
    for (const [position, written] of names.entries()) {
      const name = written.trim()
      const owner = taken.get(name)
      const refuse = (message: string): unknown => problems.push(invalid([...at, "model_names", position], message))
      if (name === "") refuse("is empty; write a name that clients use as model")
      else if (typeof owner === "string") refuse(`"${name}" is ${owner} already; choose another name`)
      else if (owner !== undefined && owner !== index) refuse(`"${name}" is a name of entrypoints[${owner}] already`)
      else taken.set(name, index)
    }
  }
  return problems
}

/** Names that requests may have without entrypoints, and what they are. */
function takenNames(
  { routing, providers }: ConfigDocument,
  autoNames: readonly string[],
): Map<string, string | number> {
  const cards = routing?.modelCards ?? []
  return new Map<string, string | number>([
    ...cards.flatMap(({ loras = [] }) => loras.map(({ name }) => [name, "a LoRA"] as const)),
    ...cards.map(({ name }) => [name, "a model card"] as const),
    ...(providers?.models ?? []).map(({ name }) => [name, "a model of providers.models"] as const),
    ...autoNames.map((name) => [name, "a name of automatic routing"] as const),
  ])
}
