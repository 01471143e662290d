// Renders JSON Schema as TypeScript types.

interface Node {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Node[]
  readonly items?: Node | readonly Node[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly patternProperties?: Readonly<Record<string, Node>>
  readonly additionalProperties?: boolean | Node
  readonly required?: readonly string[]
  readonly description?: string
}

/** A type expression; nested objects are indented by `indent` more than the line that it stands on. */
export function schemaType(schema: object, indent = ""): string {
  const node = schema as Node
  if (node.const !== undefined) return JSON.stringify(node.const)
  if (node.enum !== undefined) return node.enum.map((value) => JSON.stringify(value)).join(" | ")
  if (node.anyOf !== undefined) return unionType(node.anyOf.map((variant) => schemaType(variant, indent)))
  if (Array.isArray(node.type)) return unionType(node.type.map((type) => schemaType({ ...node, type }, indent)))
  switch (node.type) {
    case "string":
      return "string"
    case "integer":
    case "number":
      return "number"
    case "boolean":
      return "boolean"
    case "null":
      return "null"
    case "array":
      return arrayType(node, indent)
    case "object":
      return objectType(node, indent)
    default:
      return "unknown"
  }
}

const unionType = (types: readonly string[]): string => [...new Set(types)].join(" | ")

function arrayType({ items }: Node, indent: string): string {
  if (Array.isArray(items)) return `readonly [${items.map((item: Node) => schemaType(item, indent)).join(", ")}]`
  const item = items === undefined ? "unknown" : schemaType(items, indent)
  return `readonly ${/^[\w".]+$/.test(item) || item.startsWith("{") ? item : `(${item})`}[]`
}

function objectType(node: Node, indent: string): string {
  const inner = `${indent}  `
  const properties = Object.entries(node.properties ?? {})
  if (properties.length === 0) {
    const [value] = Object.values(node.patternProperties ?? {})
    const additional = typeof node.additionalProperties === "object" ? node.additionalProperties : undefined
    const type = value ?? additional
    return `Readonly<Record<string, ${type === undefined ? "unknown" : schemaType(type, indent)}>>`
  }
  const lines = properties.map(([name, property]) => {
    const optional = node.required?.includes(name) === true ? "" : "?"
    const comment = property.description === undefined ? "" : `${inner}/** ${property.description} */\n`
    return `${comment}${inner}readonly ${/^\w+$/.test(name) ? name : JSON.stringify(name)}${optional}: ${schemaType(property, inner)}`
  })
  return `{\n${lines.join("\n")}\n${indent}}`
}
