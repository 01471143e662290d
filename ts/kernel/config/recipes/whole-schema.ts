// The schema of a document as it is printed: with the sections that only load with a document that has them.

import type { TObject } from "typebox"
import type { Registry } from "../../modules/registry.ts"
import { section } from "../../schema/shapes.ts"
import { documentSchema as schemaOf } from "../document-schema.ts"
import { printedSchema } from "../printed/printed-schema.ts"
import { profileSchema, recipesSchema } from "./schema.ts"

/** For tools, not for `validate`. */
export function documentSchema(registry: Registry): object {
  const { properties, ...options } = schemaOf(registry)
  const { global, ...others } = properties
  const recipes = recipesSchema(profileSchema(properties.routing as unknown as TObject))
  const whole = section(
    { ...others, ...recipes, global },
    { description: (options as { description?: string }).description ?? "" },
  )
  return printedSchema(whole)
}
