// Keys that are references to variables in the form of another router, or of a template that nobody filled in.

import { invalid, type Problem } from "../../schema/problem.ts"
import { valueAt } from "../../schema/value-at.ts"
import { literalSecrets } from "../secrets.ts"

const foreign =
  /^(?:(?:bearer|basic|token)\s+)?(?:\$?\{\{\s*(?:\w+\.)*([\w-]+)\s*\}\}|os\.environ\/(\w+)|env[.:/](\w+))$/i

/** A warning for each: here they are the key itself, which everybody can guess. */
export const foreignReferences = (document: object): readonly Problem[] =>
  literalSecrets(document).flatMap((path) => {
    const found = foreign
      .exec(String(valueAt(document, path)))
      ?.slice(1)
      .find(Boolean)
    if (found === undefined) return []
    // A key that stands in place of a name must not be shown.
    const name = /^[A-Z_][A-Z0-9_]*$/.test(found) ? found : "NAME"
    return [
      invalid(path, `is the key itself, because references to variables have another form here; write "\${${name}}"`),
    ]
  })
