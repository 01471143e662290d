// A recipe is a routing profile of its own. Everything else reads one profile at a time, as a document whose `routing` is that
// profile's: what is written for `routing` holds for recipes too.

import type { DocumentPath } from "../../error.ts"
import type { ConfigDocument } from "../document-schema.ts"

export type Routing = NonNullable<ConfigDocument["routing"]>

export interface RecipeEntry {
  readonly name: string
  readonly description?: string
  readonly version?: string
  readonly routing?: Omit<Routing, "modelCards">
}

export interface EntrypointEntry {
  readonly name?: string
  readonly description?: string
  readonly model_names: readonly string[]
  readonly recipe: string
}

/** The profile that names of automatic routing mean: `routing`, or the recipe of this name. */
export const defaultRecipe = "default"

/** The document as a recipe sees it. Model cards are shared; a recipe without a strategy has that of the document. */
export function recipeView(document: ConfigDocument, { routing }: RecipeEntry): ConfigDocument {
  const { recipes: _, ...rest } = document
  const { strategy, modelCards } = document.routing ?? {}
  return {
    ...rest,
    routing: {
      ...(strategy !== undefined && { strategy }),
      ...routing,
      ...(modelCards !== undefined && { modelCards }),
    },
  }
}

/** The document itself, and what each of its recipes sees. */
export const profilesOf = (document: ConfigDocument): readonly ConfigDocument[] => [
  document,
  ...(document.recipes ?? []).map((recipe) => recipeView(document, recipe)),
]

/** Where a path of a recipe's view stands in the document: everything but its routing is the document's own. */
export const inRecipe = (path: DocumentPath, index: number): DocumentPath =>
  path[0] === "routing" && path[1] !== "modelCards" ? ["recipes", index, ...path] : path
