// The schema as it is printed for editors and other tools: with all that documents may have, and in standard words alone.

import { withAcceptedKeys } from "./accepted-keys.ts"
import { withDefinitionsOnce } from "./definitions.ts"
import { withReferences } from "./references.ts"

export type Json = Readonly<Record<string, unknown>>

/**
 * A document that is served fits it. It takes more than the validating schema, which knows that a variable holds a number and which
 * keys have no effect.
 */
export const printedSchema = (schema: object): Json =>
  withReferences(withAcceptedKeys(withDefinitionsOnce(standardWords(JSON.parse(JSON.stringify(schema)) as Json))))

/** Without the keys that only the validator reads. */
function standardWords(node: Json): Json {
  const walk = (item: unknown): unknown =>
    Array.isArray(item)
      ? item.map(walk)
      : typeof item === "object" && item !== null
        ? standardWords(item as Json)
        : item
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, item]) => (ofValidator.test(key) ? [] : [[key, walk(item)]])),
  )
}

const ofValidator = /^(x-(form|hidden-form|exactly-one-of|empty)|discriminator)$/
