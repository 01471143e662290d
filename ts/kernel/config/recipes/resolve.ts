// Checks a document with recipes or entrypoints: each recipe as the document that it would be alone, then the document with
// the names of both sections. Loads with the first such document.

import type { DocumentPath } from "../../error.ts"
import type { createPause } from "../../host/work.ts"
import type { Problem } from "../../schema/problem.ts"
import type { ConfigDocument } from "../document-schema.ts"
import type { resolveDocument, ResolvedDocument, ResolveOptions } from "../resolve.ts"
import type { autoNamesOf } from "../sections/router.ts"
import type { SourceDocument } from "../source-document.ts"
import { checkNames } from "./check-names.ts"
import { recipesSchema } from "./schema.ts"
import { defaultRecipe, inRecipe, type RecipeEntry } from "./view.ts"

/** What the rest of the kernel has loaded already; importing it here would make chunks of their own of it. */
export interface ResolveTools {
  readonly resolveDocument: typeof resolveDocument
  readonly autoNamesOf: typeof autoNamesOf
  readonly createPause: typeof createPause
}

type Json = Readonly<Record<string, unknown>>

/** What a recipe is alone; undefined where it is refused. */
interface View {
  readonly resolved: ResolvedDocument | undefined
  readonly problems: readonly Problem[]
}

/** Rejects with a `ConfigError` that has the problems of all profiles. */
export async function resolveRecipes(
  source: SourceDocument,
  given: ResolveOptions,
  tools: ResolveTools,
): Promise<ResolvedDocument> {
  const { recipes, entrypoints, ...others } = source.value as Json
  const rest: Json = { ...others, ...(entrypoints != null && { entrypoints: withTrimmedNames(entrypoints) }) }
  const options: ResolveOptions = { ...given, schema: recipesSchema() }
  const listed = Array.isArray(recipes) ? (recipes as readonly unknown[]) : []
  const views: View[] = []
  const pause = tools.createPause()
  for (const [index, recipe] of listed.entries()) {
    const placeOf = (path: DocumentPath): DocumentPath =>
      path[1] === "strategy" && !hasStrategy(recipe) ? path : inRecipe(path, index)
    views.push(
      await resolveView(
        {
          ...source,
          value: { ...rest, routing: routingOf(rest, recipe) },
          locate: (path) => source.locate(placeOf(path)),
          textAt: (path) => source.textAt?.(placeOf(path)),
        },
        placeOf,
        (view) => tools.resolveDocument(view, options),
      ),
    )
    await pause()
  }
  const heads = Array.isArray(recipes) ? listed.map(headOf) : recipes
  const main = await tools.resolveDocument(
    { ...source, value: { ...rest, routing: rest["routing"] ?? {}, ...(heads != null && { recipes: heads }) } },
    {
      ...options,
      problems: [
        ...views.flatMap(({ problems }) => problems),
        ...whatCanBeRead(() => {
          const document = source.value as ConfigDocument
          return checkNames(document, tools.autoNamesOf(document))
        }),
      ],
    },
  )
  return joined(main, views, listed)
}

/** Anything of another shape is left for the schema to report. */
function withTrimmedNames(entrypoints: unknown): unknown {
  if (!Array.isArray(entrypoints)) return entrypoints
  return entrypoints.map((entry: unknown) => {
    const names = isMap(entry) ? entry["model_names"] : undefined
    if (!Array.isArray(names)) return entry
    return {
      ...(entry as Json),
      model_names: names.map((name: unknown) => (typeof name === "string" ? name.trim() : name)),
    }
  })
}

/** The routing of a recipe's view as it is written. */
function routingOf({ routing }: Json, recipe: unknown): unknown {
  const own = isMap(recipe) ? recipe["routing"] : undefined
  const shared = isMap(routing) ? routing : {}
  if (own !== undefined && own !== null && !isMap(own)) return own
  const { strategy, modelCards } = shared
  const { modelCards: _, ...profile } = own ?? {}
  return {
    ...(strategy !== undefined && { strategy }),
    ...profile,
    ...(modelCards !== undefined && { modelCards }),
  }
}

/** A recipe without one has that of the document. */
const hasStrategy = (recipe: unknown): boolean =>
  isMap(recipe) && isMap(recipe["routing"]) && "strategy" in recipe["routing"]

const headOf = (recipe: unknown): unknown => {
  if (!isMap(recipe)) return recipe
  const { routing: _, ...head } = recipe
  return head
}

async function resolveView(
  view: SourceDocument,
  placeOf: (path: DocumentPath) => DocumentPath,
  resolve: (view: SourceDocument) => ResolvedDocument | Promise<ResolvedDocument>,
): Promise<View> {
  const moved = (problems: readonly Problem[]): readonly Problem[] =>
    problems.map((problem) => ({ ...problem, path: placeOf(problem.path) }))
  try {
    const resolved = await resolve(view)
    return { resolved, problems: moved(resolved.warnings).map((problem) => ({ ...problem, severity: "warning" })) }
  } catch (error) {
    const { problems } = error as { readonly problems?: readonly Problem[] }
    if (problems === undefined) throw error
    return { resolved: undefined, problems: moved(problems) }
  }
}

function joined(main: ResolvedDocument, views: readonly View[], recipes: readonly unknown[]): ResolvedDocument {
  const withRecipes = (key: "document" | "unexpanded"): ConfigDocument => {
    const { entrypoints, recipes: heads = [], ...document } = main[key]
    const profiles = heads.map((head, index): RecipeEntry => {
      const { modelCards: _, ...routing } = views[index]?.resolved?.[key].routing ?? {}
      return { ...head, routing }
    })
    const own = profiles.find(({ name }) => name === defaultRecipe)
    return {
      ...document,
      ...(own !== undefined && { routing: { ...document.routing, ...own.routing } }),
      recipes: profiles.filter((profile) => profile !== own),
      ...(entrypoints !== undefined && {
        entrypoints: entrypoints.map((entry) => ({
          ...entry,
          model_names: [...new Set(entry.model_names)],
        })),
      }),
    }
  }
  const document = withRecipes("document")
  // A recipe of the default name has become the routing of the document.
  const positions = recipes.flatMap((recipe, index) =>
    isMap(recipe) && recipe["name"] === defaultRecipe ? [] : [index],
  )
  const locate = (path: DocumentPath): ReturnType<ResolvedDocument["locate"]> => {
    const [section, position, ...inside] = path
    const view = section === "recipes" && inside[0] === "routing" ? views[positions[Number(position)] ?? -1] : undefined
    return (view?.resolved ?? main).locate(view === undefined ? path : inside)
  }
  const ofAll = views.flatMap(({ resolved }) => (resolved === undefined ? [] : [resolved]))
  const unchecked = [...(main.unchecked ?? []), ...ofAll.flatMap((each) => each.unchecked ?? [])]
  return {
    ...main,
    document,
    unexpanded: withRecipes("unexpanded"),
    locate,
    // What holds for the whole document, every profile has told.
    warnings: [...new Map(main.warnings.map((each) => [`${each.path.join("\0")}\0${each.message}`, each])).values()],
    ...(unchecked.length > 0 && { unchecked }),
  }
}

const isMap = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** No problems where the check trips over a shape that the schema refuses. */
function whatCanBeRead(check: () => readonly Problem[]): readonly Problem[] {
  try {
    return check()
  } catch {
    return []
  }
}
