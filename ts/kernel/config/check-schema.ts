// Checks a document against a schema, with what the format knows and this version does not serve.

import type { TSchema } from "typebox"
import type { DocumentPath } from "../error.ts"
import type { Problem } from "../schema/problem.ts"
import { validate as validateValue } from "../schema/validate.ts"
import { notYet } from "./not-yet.ts"

/** Every place where `value` does not fit `schema`. Paths start with `path`. */
export function validate(schema: TSchema, value: unknown, path: DocumentPath = []): readonly Problem[] {
  return validateValue(schema, value, path, notYet)
}
