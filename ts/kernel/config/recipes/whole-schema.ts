// The schema of a document as it is printed: with the sections that only load with a document that has them.

import type { TObject } from "typebox"
import type { Registry } from "../../modules/registry.ts"
import { section } from "../../schema/shapes.ts"
import { documentSchema as schemaOf } from "../document-schema.ts"
import { profileSchema, recipesSchema } from "./schema.ts"

export function documentSchema(registry: Registry): TObject {
  const { properties, ...options } = schemaOf(registry)
  const { global, ...others } = properties
  const recipes = recipesSchema(profileSchema(properties.routing as unknown as TObject))
  return section(
    { ...others, ...recipes, global },
    { description: (options as { description?: string }).description ?? "" },
  )
}
