// JSON Schema as TypeBox writes it, in the dialect of OpenAPI 3.0, which knows neither `const` nor null nor lists of types.

type Node = Readonly<Record<string, unknown>>
export type OpenApiSchema = Record<string, unknown>

/** Named schemas that others refer to. */
export type SchemaComponents = Record<string, OpenApiSchema>

/** Keywords that mean the same in both. */
const kept = [
  "type",
  "title",
  "description",
  "default",
  "enum",
  "format",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "required",
] as const

/** Definitions go to `components`; a reference to one becomes a reference to its component. */
export function toOpenApiSchema(schema: unknown, components: SchemaComponents): OpenApiSchema {
  const names = new Map<string, string>()
  const convert = (value: unknown): OpenApiSchema => {
    if (typeof value !== "object" || value === null) return value === false ? { not: {} } : {}
    const node = value as Node
    define(node)
    if (typeof node["$ref"] === "string") return reference(node["$ref"])
    const result: OpenApiSchema = {}
    for (const keyword of kept) if (node[keyword] !== undefined) result[keyword] = node[keyword]
    for (const [key, extension] of Object.entries(node)) if (key.startsWith("x-")) result[key] = extension
    convertRange(node, result)
    convertParts(node, result)
    convertType(node, result)
    return result
  }

  const define = (node: Node): void => {
    const definitions = Object.entries((node["$defs"] ?? {}) as Readonly<Record<string, unknown>>)
    for (const [name] of definitions) names.set(name, freeName(name, components))
    for (const [name] of definitions) components[names.get(name) as string] = {}
    for (const [name, definition] of definitions)
      Object.assign(components[names.get(name) as string] ?? {}, convert(definition))
  }

  const reference = (target: string): OpenApiSchema => {
    const name = target.replace(/^#?\/?(\$defs\/)?/, "")
    return { $ref: `#/components/schemas/${names.get(name) ?? name}` }
  }

  const convertParts = (node: Node, result: OpenApiSchema): void => {
    if (node["properties"] !== undefined) result["properties"] = mapValues(node["properties"] as Node, convert)
    const { patternProperties, additionalProperties, items } = node
    if (patternProperties !== undefined) {
      const [only] = Object.values(patternProperties as Node)
      result["additionalProperties"] = convert(only)
    } else if (additionalProperties !== undefined)
      result["additionalProperties"] =
        typeof additionalProperties === "boolean" ? additionalProperties : convert(additionalProperties)
    if (Array.isArray(items)) result["items"] = { anyOf: items.map(convert) }
    else if (items !== undefined) result["items"] = convert(items)
    for (const keyword of ["allOf", "oneOf"] as const)
      if (Array.isArray(node[keyword])) result[keyword] = node[keyword].map(convert)
    if (node["not"] !== undefined) result["not"] = convert(node["not"])
    if (Array.isArray(node["examples"])) result["example"] = node["examples"][0]
    if (Array.isArray(node["anyOf"])) convertUnion(node["anyOf"] as readonly Node[], result)
  }

  const convertUnion = (variants: readonly Node[], result: OpenApiSchema): void => {
    const others = variants.filter((variant) => variant["type"] !== "null" && variant["const"] !== null)
    if (others.length < variants.length) result["nullable"] = true
    const constants = others.map((variant) => variant["const"])
    if (constants.every((constant) => constant !== undefined)) {
      const enumeration = result["nullable"] === true ? [...constants, null] : constants
      Object.assign(result, { type: typeof constants[0], enum: enumeration })
    } else if (others.length === 1) Object.assign(result, convert(others[0]))
    else result["anyOf"] = others.map(convert)
    // OpenAPI 3.0 reads `nullable` beside a type only.
    if (result["nullable"] === true && result["type"] === undefined) {
      delete result["nullable"]
      result["anyOf"] = [...((result["anyOf"] as OpenApiSchema[] | undefined) ?? []), nothing]
    }
  }

  return convert(schema)
}

/** Null alone: OpenAPI 3.0 has no type for it. */
const nothing: OpenApiSchema = { type: "string", nullable: true, enum: [null] }

function convertType(node: Node, result: OpenApiSchema): void {
  if (node["const"] !== undefined) {
    if (node["const"] === null) Object.assign(result, nothing)
    else Object.assign(result, { type: typeof node["const"], enum: [node["const"]] })
    return
  }
  if (node["type"] === "null") Object.assign(result, nothing)
  if (!Array.isArray(node["type"])) return
  const types = node["type"].filter((type) => type !== "null")
  delete result["type"]
  if (types.length === 1) result["type"] = types[0]
  else result["anyOf"] = types.map((type) => ({ type, ...(type === "array" && { items: {} }) }))
  if (types.length < node["type"].length && types.length === 1) result["nullable"] = true
}

/** Exclusive bounds are flags beside the bound. */
function convertRange(node: Node, result: OpenApiSchema): void {
  if (typeof node["exclusiveMinimum"] === "number")
    Object.assign(result, { minimum: node["exclusiveMinimum"], exclusiveMinimum: true })
  if (typeof node["exclusiveMaximum"] === "number")
    Object.assign(result, { maximum: node["exclusiveMaximum"], exclusiveMaximum: true })
}

function freeName(name: string, components: SchemaComponents): string {
  let free = name
  for (let count = 2; free in components; count++) free = `${name}${count}`
  return free
}

const mapValues = (node: Node, convert: (value: unknown) => OpenApiSchema): OpenApiSchema =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, convert(value)]))
