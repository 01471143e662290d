// Finds mistakes in the schemas of an outside module when it is registered. The check of a document would stumble over them
// without saying whose they are, or would let every value pass.

import type { AnyModule } from "../types/module.ts"

/** What is wrong with the schemas of a module, and where; undefined where nothing is. */
export function wrongSchema(module: AnyModule): string | undefined {
  for (const [name, schema] of schemasOf(module)) {
    if (schema === undefined) continue
    const type = typeOf(schema)
    // A union of objects has no type of its own.
    if ((name === "rule" || name === "options") && type !== undefined && type !== "object")
      return `${name} must be an object schema, such as Type.Object({ … }), got ${type}`
    const wrong = wrongNode(schema, name)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function schemasOf(module: AnyModule): readonly (readonly [name: string, schema: unknown])[] {
  const { rule, options, settings, routing } = module as {
    readonly rule?: unknown
    readonly options?: unknown
    readonly settings?: { readonly schema: unknown }
    readonly routing?: { readonly schema: unknown }
  }
  const operations = module.kind === "route" ? module.operations : []
  return [
    ["rule", rule],
    ["options", options],
    ["settings.schema", settings?.schema],
    ["routing.schema", routing?.schema],
    ...operations.flatMap(({ id, params, query, body, replies }) =>
      [params, query, body, ...Object.values(replies ?? {}).map(({ schema }) => schema)].map(
        (schema): readonly [string, unknown] => [`operation "${id}"`, schema],
      ),
    ),
  ]
}

const typeOf = (schema: unknown): string | undefined => {
  const type = (schema as { readonly type?: unknown } | null)?.type
  return typeof type === "string" ? type : undefined
}

/** Words of `type`: those of JSON Schema. A document holds no other values. */
const types = ["array", "boolean", "integer", "null", "number", "object", "string"]

/** Keywords that hold values of documents and no schemas. */
const valueKeywords = new Set(["const", "default", "enum", "examples"])

/** The first mistake in a schema and in those below it. */
function wrongNode(node: unknown, at: string, isMapOfSchemas = false): string | undefined {
  if (typeof node !== "object" || node === null) return undefined
  const { type, pattern, patternProperties } = node as Readonly<Record<string, unknown>>
  if (!isMapOfSchemas && !Array.isArray(node)) {
    for (const word of [type].flat())
      if (typeof word === "string" && !types.includes(word))
        return `${at} has the unknown type "${word}"; there are ${types.join(", ")}`
    for (const each of [pattern, ...Object.keys(patternProperties ?? {})]) {
      const reason = typeof each === "string" ? patternMistake(each) : undefined
      if (reason !== undefined) return `${at} has a pattern that cannot be used: ${reason}`
    }
  }
  for (const [key, below] of Object.entries(node)) {
    if (!isMapOfSchemas && valueKeywords.has(key)) continue
    const holdsSchemas = !isMapOfSchemas && /^(properties|patternProperties|\$defs)$/.test(key)
    const wrong = wrongNode(below, holdsSchemas ? at : `${at}.${key}`, holdsSchemas)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/** Schemas match with the flag `u`, which refuses more than a pattern without it. */
function patternMistake(pattern: string): string | undefined {
  try {
    new RegExp(pattern, "u").test("")
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
