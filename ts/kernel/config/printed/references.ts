// Lets references such as `${PORT:-8801}` stand in a schema for values that no text with a reference fits.

import type { Json } from "./printed-schema.ts"

const name = "EnvironmentReference"

const definition: Json = {
  type: "string",
  pattern: "\\$(\\{[A-Za-z_][A-Za-z0-9_]*(:?-[^}]*)?\\}|[A-Za-z_])",
  description: "A reference to an environment variable, such as ${PORT:-8801}",
}

/** A schema with references for numbers, booleans, closed lists of words and texts of one form. Names of maps are as they are. */
export function withReferences(root: Json): Json {
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node !== "object" || node === null) return node
    const kept = Object.fromEntries(
      Object.entries(node).map(([key, item]) => [key, maps.has(key) ? below(item) : walk(item)]),
    )
    if (!refuses(kept)) return kept
    const { description, deprecated, ...value } = kept
    return {
      ...(description !== undefined && { description }),
      ...(deprecated !== undefined && { deprecated }),
      anyOf: [value, { $ref: `#/$defs/${name}` }],
    }
  }
  const below = (map: unknown): unknown =>
    Object.fromEntries(Object.entries(map as Json).map(([key, schema]) => [key, walk(schema)]))
  const schema = walk(root) as Json
  return { ...schema, $defs: { ...(schema["$defs"] as Json), [name]: definition } }
}

/** Keys of a schema that hold schemas by names of the document. */
const maps: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"])

/** A pattern that asks for any visible character fits every reference. */
const refuses = ({ type, pattern, enum: words }: Json): boolean =>
  ["integer", "number", "boolean"].includes(String(type)) ||
  (type === "string" && (words !== undefined || (pattern !== undefined && pattern !== "\\S")))
