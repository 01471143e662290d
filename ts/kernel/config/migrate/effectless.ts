// Keys of a document that do nothing here, which a migrated document does not have any more.

import type { DocumentPath } from "../../error.ts"
import type { Registry } from "../../modules/registry.ts"
import { validate, validateInSteps } from "../../schema/validate.ts"
import { valueAt } from "../../schema/value-at.ts"
import { finish } from "../../host/work.ts"
import { acceptDocument, hasKey } from "../accepted/accept.ts"
import { noEffect } from "../accepted/no-effect.ts"
import { wholeSchema } from "../recipes/whole-schema.ts"

/** Parts that the router does not have are none of them: they would do something where they were served. */
export function effectlessIn(document: unknown, registry: Registry): readonly DocumentPath[] {
  const schema = wholeSchema(registry)
  const { leftOut } = finish(acceptDocument(document, schema, { validate, validateInSteps, valueAt, missing: "allow" }))
  return leftOut.filter((path) => noEffect.some(({ keys }) => keys.some(([at, names]) => hasKey(at, names, path))))
}
