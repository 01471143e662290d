// `global.services.observability`: what the router tells about itself.

import { Type } from "typebox"
import { section } from "../../schema/shapes.ts"
import type { ConfigDocument } from "../document-schema.ts"

export const observabilitySchema = section({
  metrics: Type.Optional(section({ enabled: Type.Optional(Type.Boolean()) })),
})

/** Metrics are on unless the document says otherwise. */
export function compileMetricsEnabled(document: ConfigDocument): boolean {
  return document.global?.services?.observability?.metrics?.enabled ?? true
}
