// Puts the definitions of a schema once at its root, where every tool finds them.

import type { Json } from "./printed-schema.ts"

/** References name them by `#/$defs/NAME`. Definitions of one name are equal wherever they stand, so the last one is kept. */
export function withDefinitionsOnce(root: Json): Json {
  const definitions: Record<string, unknown> = {}
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node !== "object" || node === null) return node
    const { $defs, $id: _, $ref: name, ...rest } = node as Json
    for (const [key, definition] of Object.entries(($defs ?? {}) as Json)) definitions[key] = walk(definition)
    const kept = Object.entries(rest).map(([key, item]) => [key, walk(item)] as const)
    return Object.fromEntries(typeof name === "string" ? [["$ref", `#/$defs/${name}`], ...kept] : kept)
  }
  const schema = walk(root) as Json
  return { ...schema, $defs: definitions }
}
