// The schema of a whole document: with the sections that only load with a document that has them.

import type { TObject } from "typebox"
import type { Registry } from "../../modules/registry.ts"
import { section } from "../../schema/shapes.ts"
import { documentSchema as schemaOf } from "../document-schema.ts"
import { printedSchema } from "../printed/printed-schema.ts"
import { profileSchema, recipesSchema } from "./schema.ts"

/** The same for tools: see `printedSchema`. */
export const documentSchema = (registry: Registry): object => printedSchema(wholeSchema(registry))

/** For `validate`. */
export function wholeSchema(registry: Registry): TObject {
  const { properties, ...options } = schemaOf(registry)
  const { global, ...others } = properties
  const recipes = recipesSchema(profileSchema(properties.routing as unknown as TObject))
  return section(
    { ...others, ...recipes, global },
    { description: (options as { description?: string }).description ?? "" },
  )
}
