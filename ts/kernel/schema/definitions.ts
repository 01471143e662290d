// The definitions that a schema has anywhere in it, by the names that its references have.

import type { TSchema } from "typebox"

const known = new WeakMap<object, Record<string, TSchema>>()

/**
 * Definitions of one name are equal wherever they stand. TypeBox would walk the whole schema for each value that a reference
 * checks; in this map it looks the name up.
 */
export function definitionsIn(schema: object): Record<string, TSchema> {
  let found = known.get(schema)
  if (found === undefined) {
    found = {}
    collect(schema, found)
    known.set(schema, found)
  }
  return found
}

function collect(node: object, found: Record<string, TSchema>): void {
  if ("$defs" in node) Object.assign(found, node.$defs)
  for (const part of Object.values(node)) if (typeof part === "object" && part !== null) collect(part as object, found)
}
