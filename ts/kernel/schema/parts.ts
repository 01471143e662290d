// Takes a value apart where it has long lists, so that it can be checked a part at a time.

import type { DocumentPath } from "../error.ts"

type JsonSchema = Readonly<Record<string, unknown>>

export interface SchemaPart {
  readonly schema: JsonSchema
  readonly value: unknown
  readonly path: DocumentPath
  /** Position of the first item, where the part is of a list. */
  readonly from: number | undefined
}

/** Few enough that their check takes a few milliseconds. */
const itemsInPart = 20

/**
 * The value without its long lists, then each of those in parts. All parts fit their schemas where the value fits its own, because
 * only lists are taken out of which nothing but the items is asked.
 */
export function partsOf(root: object, value: unknown, path: DocumentPath): readonly SchemaPart[] {
  const schema = root as JsonSchema
  const parts: SchemaPart[] = []
  const rest = withoutLists(schema, value, path, parts)
  return [{ schema, value: rest, path, from: undefined }, ...parts]
}

/** Adds the parts of long lists to `parts`; the lists become empty. */
function withoutLists(schema: JsonSchema, value: unknown, path: DocumentPath, parts: SchemaPart[]): unknown {
  if (Array.isArray(value)) {
    const { type, items } = schema
    if (type !== "array" || typeof items !== "object" || value.length <= itemsInPart) return value
    if (Object.keys(schema).some((key) => /^(min|max|unique|contains|prefix|unevaluated)/.test(key))) return value
    for (let from = 0; from < value.length; from += itemsInPart)
      parts.push({ schema, value: value.slice(from, from + itemsInPart), path, from })
    return []
  }
  if (typeof value !== "object" || value === null || schema["type"] !== "object") return value
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const inner = Object.hasOwn(properties, key) ? properties[key] : undefined
      return [key, inner === undefined ? item : withoutLists(inner, item, [...path, key], parts)]
    }),
  )
}
