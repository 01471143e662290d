// What a migrated document has to fit: which of its keys do nothing here, and which nobody knows.

import type { DocumentPath } from "../../error.ts"
import { type Registry, signalConfigKey } from "../../modules/registry.ts"
import { validate, validateInSteps } from "../../schema/validate.ts"
import { valueAt } from "../../schema/value-at.ts"
import { finish } from "../../host/work.ts"
import { acceptDocument, hasKey } from "../accepted/accept.ts"
import { noEffect } from "../accepted/no-effect.ts"
import { wholeSchema } from "../recipes/whole-schema.ts"
import { isKnownKey } from "../unsupported.ts"

export interface MigrationTarget {
  /** Keys that do nothing here. Parts that the router does not have are none of them: they would do something where they were served. */
  effectless(document: unknown): readonly DocumentPath[]
  /** Keys that neither the router nor the format has. */
  unknown(document: unknown): readonly DocumentPath[]
  /** Labels that a rule of `routing.signals.domains` may have. */
  readonly domainLabels: readonly string[]
}

export function migrationTarget(registry: Registry): MigrationTarget {
  const schema = wholeSchema(registry)
  const domains = registry.all("signal").find(({ id, module }) => signalConfigKey(id, module) === "domains")
  const labels = valueAt(domains?.module.rule, ["properties", "mmlu_categories", "items", "enum"])
  return {
    effectless(document) {
      const { leftOut } = finish(
        acceptDocument(document, schema, { validate, validateInSteps, valueAt, missing: "allow" }),
      )
      return leftOut.filter((path) => noEffect.some(({ keys }) => keys.some(([at, names]) => hasKey(at, names, path))))
    },
    unknown(document) {
      const found: DocumentPath[] = []
      validate(schema, document, [], (path, { what }) => {
        if (what === "key" && !isKnownKey(path, document)) found.push(path)
        return undefined
      })
      return found
    },
    domainLabels: Array.isArray(labels) ? labels.map(String) : [],
  }
}
