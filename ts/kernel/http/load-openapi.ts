// The OpenAPI document for those who ask for it: what writes it loads with the first request, and edge bundles start without it.

import type { OpenApiDocument, openApiDocument as write } from "./openapi.ts"

/** Dialects give the formats of the operations that name one; a dialect that is missing leaves them open. */
export async function openApiDocument(...given: Parameters<typeof write>): Promise<OpenApiDocument> {
  const { openApiDocument: writeDocument } = await import("./openapi.ts")
  return writeDocument(...given)
}
