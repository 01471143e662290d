// Routing profiles of a document as the management API shows them, and what becomes of a change.

import {
  type DocumentChange,
  literals,
  ManagementError,
  type ReadDocument,
  type Static,
  Type,
} from "../../../kernel/index.ts"

type Value = ReadDocument["value"]
type Values = DocumentChange["values"]

/** The profile that `routing` is, unless a recipe of this name takes its place. */
const defaultName = "default"

const entrypoint = Type.Object(
  {
    name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    model_names: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    recipe: Type.Optional(Type.String({ description: "This profile, which it is when left out" })),
  },
  { additionalProperties: false },
)

const routing = Type.Object({}, { additionalProperties: true, description: "As under `routing` of the document" })

export const recipe = Type.Object({
  name: Type.String(),
  description: Type.Optional(Type.String()),
  routing,
  entrypoints: Type.Array(entrypoint),
  source: literals(["routing", "recipes"]),
  deletable: Type.Boolean(),
})

export const mutation = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1 })),
    description: Type.Optional(Type.String()),
    routing,
    entrypoints: Type.Optional(
      Type.Array(entrypoint, { description: "Model names that lead here; those of now when left out" }),
    ),
  },
  { additionalProperties: false },
)

export type Recipe = Static<typeof recipe>
export type Mutation = Static<typeof mutation>
type Entrypoint = Static<typeof entrypoint>

interface Entry {
  readonly name: string
  readonly description?: string
  readonly routing?: object
}

const entriesIn = ({ recipes }: Value): readonly Entry[] =>
  Array.isArray(recipes) ? (recipes as readonly Entry[]) : []
const entrypointsIn = ({ entrypoints }: Value): readonly Entrypoint[] =>
  Array.isArray(entrypoints) ? (entrypoints as readonly Entrypoint[]) : []

/** The default profile first. */
export function recipesIn(value: Value): readonly Recipe[] {
  const entries = entriesIn(value)
  const references = entrypointsIn(value)
  const leadingTo = (name: string): Entrypoint[] => references.filter((each) => each.recipe === name)
  const named = entries.map(({ name, description, routing: own = {} }): Recipe => ({
    name,
    ...(description !== undefined && { description }),
    routing: own,
    entrypoints: leadingTo(name),
    source: "recipes",
    deletable: name !== defaultName && leadingTo(name).length === 0,
  }))
  if (entries.some(({ name }) => name === defaultName)) return named
  const main: Recipe = {
    name: defaultName,
    routing: (value["routing"] ?? {}) as object,
    entrypoints: leadingTo(defaultName),
    source: "routing",
    deletable: false,
  }
  return [main, ...named]
}

/** What a client's profile changes in the document. Throws for what no document could say. */
export function mutationOf(
  value: Value,
  name: string,
  { name: said = name, description, routing: own, entrypoints }: Mutation,
): { readonly action: "create" | "replace"; readonly values: Values } {
  if (name !== name.trim() || name.trim() === "")
    throw new ManagementError(400, "INVALID_RECIPE_NAME", "The name of a recipe has no spaces around it")
  if (said !== name)
    throw new ManagementError(400, "RECIPE_NAME_MISMATCH", `The body names recipe "${said}", and the path "${name}"`)
  if (Object.keys(own).length === 0)
    throw new ManagementError(400, "INVALID_RECIPE", `Recipe "${name}" needs a routing with signals or decisions`)
  const index = entriesIn(value).findIndex((each) => each.name === name)
  if (name === defaultName && index < 0) {
    if (description !== undefined || entrypoints !== undefined)
      throw new ManagementError(
        400,
        "INVALID_RECIPE",
        `Recipe "${defaultName}" is the routing of the document, which has no description and no entrypoints; leave them out`,
      )
    return { action: "replace", values: [[["routing"], own]] }
  }
  const entry = { ...entriesIn(value)[index], name, ...(description !== undefined && { description }), routing: own }
  return {
    action: index < 0 ? "create" : "replace",
    values: [
      [["recipes", index < 0 ? entriesIn(value).length : index], entry],
      ...(entrypoints === undefined ? [] : withEntrypoints(value, name, entrypoints)),
    ],
  }
}

/** Those of other profiles stay as they are. */
function withEntrypoints(value: Value, name: string, own: readonly Entrypoint[]): Values {
  const other = own.find((each) => each.recipe !== undefined && each.recipe !== name)
  if (other !== undefined)
    throw new ManagementError(
      400,
      "INVALID_RECIPE",
      `An entrypoint of recipe "${name}" leads to "${String(other.recipe)}"; change it with that recipe`,
    )
  const before = entrypointsIn(value)
  const next = [...before.filter((each) => each.recipe !== name), ...own.map((each) => ({ ...each, recipe: name }))]
  if (next.length > 0) return [[["entrypoints"], next]]
  return before.length === 0 ? [] : [[["entrypoints"], undefined]]
}

/** Throws for a profile that has to stay. */
export function removalOf(value: Value, name: string): Values {
  if (name === defaultName)
    throw new ManagementError(409, "DEFAULT_RECIPE_REQUIRED", `Recipe "${defaultName}" cannot be deleted`)
  const first = entrypointsIn(value).find((each) => each.recipe === name)
  if (first !== undefined)
    throw new ManagementError(
      409,
      "RECIPE_IN_USE",
      `Recipe "${name}" is what model name "${first.model_names[0]}" means; put the recipe with entrypoints: [] first`,
    )
  const entries = entriesIn(value)
  return [
    [entries.length === 1 ? ["recipes"] : ["recipes", entries.findIndex((each) => each.name === name)], undefined],
  ]
}
