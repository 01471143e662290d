// `recipes[]` and `entrypoints[]`: their keys.

import { Type, type TObject, type TProperties, type TSchema } from "typebox"

/** Their schemas; `profile` is that of a recipe's routing, which is checked on its own where it is left out. */
export function recipesSchema(profile?: TSchema): TProperties {
  return {
    entrypoints: Type.Optional(
      Type.Array(
        closed({
          name: Type.Optional(name),
          description,
          model_names: Type.Array(Type.String(), { minItems: 1, description: "Names that clients use as model" }),
          recipe: name,
        }),
        { description: "Virtual models: a request that names one is routed by its recipe" },
      ),
    ),
    recipes: Type.Optional(
      Type.Array(
        closed({
          name,
          description,
          version: description,
          ...(profile !== undefined && { routing: Type.Optional(profile) }),
        }),
        { description: "Routing profiles beside the default one, each with signals and decisions of its own" },
      ),
    ),
  }
}

/** All that `routing` has but the model cards, which recipes share. */
export function profileSchema(routing: TObject): TObject {
  const { modelCards: _, ...properties } = routing.properties
  return closed(properties)
}

const name = Type.String({ minLength: 1, pattern: "\\S" })
const description = Type.Optional(Type.String())
const closed = (properties: TProperties): TObject => Type.Object(properties, { additionalProperties: false })
