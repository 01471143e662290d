// Checks a value against a schema and says what is wrong in words that name the path, the value and what would be right.

import type { TSchema } from "typebox"
import { Settings } from "typebox/system"
import { Errors } from "typebox/schema"
import type { DocumentPath } from "../error.ts"
import { invalid, oneOf, type Problem, suggestion } from "./problem.ts"
import { finish, type Work } from "../host/work.ts"
import { definitionsIn } from "./definitions.ts"
import { partsOf } from "./parts.ts"
import { emptyMeans, exactlyOne, formOf, hiddenFormOf } from "./shapes.ts"
import { valueAt } from "./value-at.ts"

// TypeBox stops after eight errors by default; a document is checked once and every problem counts.
const maxErrors = 10_000
Settings.Set({ maxErrors })

type JsonSchema = Readonly<Record<string, unknown>>
type SchemaError = ReturnType<typeof Errors>[1][number]

/** An unknown key, a word that is none of those allowed, a value of another type, or a key that is missing. */
export interface Refusal {
  readonly what: "key" | "word" | "type" | "missing"
  readonly value?: unknown
  /** The schema of the value; of an unknown key, the one of the map that has it. */
  readonly node: object
  /** What is said of it without an explanation. */
  readonly message: string
  /** What is said where the value may be in no message; undefined where `message` does not show it. */
  readonly withoutValue?: string
}

/** Says more about a refusal than its message; undefined where there is no more to say. */
export type Explain = (path: DocumentPath, refusal: Refusal) => Problem | undefined

/** Every place where `value` does not fit `schema`. Paths start with `path`. */
export function validate(
  schema: TSchema,
  value: unknown,
  path: DocumentPath = [],
  explain: Explain = () => undefined,
): readonly Problem[] {
  return finish(validateInSteps(schema, value, path, explain))
}

/** The same in steps: long lists are checked a few items at a time. */
export function* validateInSteps(
  schema: TSchema,
  value: unknown,
  path: DocumentPath = [],
  explain: Explain = () => undefined,
): Work<readonly Problem[]> {
  const problems: Problem[] = []
  const definitions = definitionsIn(schema)
  for (const part of partsOf(schema, value, path)) {
    for (const problem of validatePart({ ...part, definitions, explain })) problems.push(problem)
    yield
  }
  return problems
}

interface Part {
  readonly schema: JsonSchema
  readonly value: unknown
  readonly path: DocumentPath
  /** Position of the first item, where the part is of a list. */
  readonly from: number | undefined
  readonly definitions: Record<string, TSchema>
  readonly explain: Explain
}

function validatePart({ schema, value, path, from, definitions, explain }: Part): readonly Problem[] {
  const problems: Problem[] = []
  const [, errors] = Errors(definitions, schema as TSchema, value)
  for (const error of errors) {
    // What a variant of a tagged union says is asked again below, of the matching variant only.
    if (error.keyword === "boolean" || error.schemaPath.includes("/anyOf/")) continue
    const [first, ...inside] = fromPointer(error.instancePath, value)
    const at =
      first === undefined ? path : [...path, typeof first === "number" ? first + (from ?? 0) : first, ...inside]
    const found = valueAt(value, tokens(error.instancePath))
    const node = schemaAt(schema, error.schemaPath)
    if (error.keyword === "anyOf") problems.push(...checkVariant(node, found, at, explain))
    else problems.push(...toProblems(error, node, found, at, explain))
  }
  // TypeBox forgets what comes behind so many errors, and those that are kept may be of the kind that is left out above.
  if (problems.length === 0 && errors.length >= maxErrors) problems.push(invalid(path, "has too many problems"))
  return problems
}

function checkVariant(union: JsonSchema, value: unknown, path: DocumentPath, explain: Explain): readonly Problem[] {
  const tag = (union["discriminator"] as { propertyName: string } | undefined)?.propertyName
  const variants = union["anyOf"] as readonly JsonSchema[]
  const choices = union[exactlyOne] as readonly string[] | undefined
  if (choices !== undefined) return checkChoice(choices, variants, value, path, explain)
  if (tag === undefined) return checkType(variants, value, path, explain)
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [invalid(path, `must be a map with "${tag}", got ${typeName(value)}`)]
  const found = (value as Record<string, unknown>)[tag]
  const tagOf = (variant: JsonSchema): unknown => ((variant["properties"] as JsonSchema)[tag] as JsonSchema)["const"]
  const match = variants.find((variant) => tagOf(variant) === found)
  if (match !== undefined) return validate(match as TSchema, value, path, explain)
  if (found === undefined) return [invalid([...path, tag], `is missing; it must be ${oneOf(variants.map(tagOf))}`)]
  return [enumProblem([...path, tag], found, variants.map(tagOf), explain)]
}

/** Variants of different types: what is wrong with the one of the value's type, or which types there are. */
function checkType(
  variants: readonly JsonSchema[],
  value: unknown,
  path: DocumentPath,
  explain: Explain,
): readonly Problem[] {
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value
  const match = variants.find((variant) => variant["type"] === type && variant["const"] === undefined)
  if (match !== undefined) return validate(match as TSchema, value, path, explain)
  const hasWords = variants.some((variant) => variant["const"] !== undefined)
  const got = hasWords && typeof value === "string" ? `"${value}"` : typeName(value)
  return [invalid(path, `must be ${variants.map(wordOf).join(" or ")}, got ${got}`)]
}

const wordOf = (variant: JsonSchema): string =>
  variant["const"] === undefined ? article(String(variant["type"])) : JSON.stringify(variant["const"])

/** Says which of the fields to choose from is missing or too many, and otherwise what is wrong with the chosen variant. */
function checkChoice(
  choices: readonly string[],
  variants: readonly JsonSchema[],
  value: unknown,
  path: DocumentPath,
  explain: Explain,
): readonly Problem[] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [invalid(path, `must be a map, got ${typeName(value)}`)]
  const chosen = choices.filter((choice) => (value as Record<string, unknown>)[choice] !== undefined)
  const variant = variants[choices.indexOf(chosen[0] ?? "")]
  if (variant !== undefined && chosen.length === 1) return validate(variant as TSchema, value, path, explain)
  const names = choices
    .map((choice) => `"${choice}"`)
    .join(", ")
    .replace(/, (?=[^,]*$)/, " and ")
  return [invalid(path, `must have exactly one of ${names}, got ${chosen.length === 0 ? "none" : "both"}`)]
}

function toProblems(
  error: SchemaError,
  node: JsonSchema,
  value: unknown,
  path: DocumentPath,
  explain: Explain,
): readonly Problem[] {
  const params = error.params as Readonly<Record<string, unknown>>
  switch (error.keyword) {
    case "additionalProperties":
      return (params["additionalProperties"] as readonly string[]).map((key) =>
        refuse([...path, key], explain, {
          what: "key",
          node,
          message: `is not a known key${suggestion(key, Object.keys((node["properties"] ?? {}) as object))}`,
        }),
      )
    case "required":
      return (params["requiredProperties"] as readonly string[]).map((key) =>
        refuse([...path, key], explain, {
          what: "missing",
          node: (node["properties"] as Readonly<Record<string, object>>)[key] ?? {},
          message: "is missing",
        }),
      )
    case "type":
      // The list of words says more than their type.
      if (node["enum"] !== undefined) return []
      if (value === null && node[emptyMeans] !== undefined)
        return [refuse(path, explain, { what: "type", value, node, message: String(node[emptyMeans]) })]
      return [refuse(path, explain, { what: "type", value, node, ...typeMessage(params["type"], value) })]
    case "enum":
      return [enumProblem(path, value, node["enum"] as readonly unknown[], explain, node[formOf])]
    case "const":
      return [enumProblem(path, value, [node["const"]], explain)]
    case "pattern":
      // An empty text is reported once, by its length.
      if (value === "" && node["minLength"] !== undefined) return []
      return [refuse(path, explain, { what: "word", value, node, ...patternMessage(node, String(value)) })]
    case "minLength":
      return [invalid(path, "must not be empty")]
    case "minItems":
      return [invalid(path, String(node[emptyMeans] ?? error.message))]
    default:
      return [invalid(path, typeof value === "number" ? `${error.message}, got ${value}` : error.message)]
  }
}

type Messages = Pick<Refusal, "message" | "withoutValue">

/** Of a number the value says more than its type. */
function typeMessage(type: unknown, value: unknown): Messages {
  const expected = `must be ${[type].flat().map(String).map(article).join(" or ")}, got `
  const message = `${expected}${typeName(value)}`
  return type === "integer" && typeof value === "number"
    ? { message: `${expected}${value}`, withoutValue: message }
    : { message }
}

/** A pattern whose node has examples is one of a few words, which its description lists. */
function patternMessage(node: JsonSchema, value: string): Messages {
  const { description, examples, pattern, [formOf]: form, [hiddenFormOf]: hidden } = node
  if (typeof hidden === "string") return { message: `must be ${hidden}` }
  if (typeof form === "string")
    return { message: `must be ${form}, got ${JSON.stringify(value)}`, withoutValue: `must be ${form}` }
  return {
    message: Array.isArray(examples)
      ? `must be ${String(description)}, got "${value}"${suggestion(value, examples.map(String))}`
      : `${described(node)}does not have the right form (pattern ${String(pattern)})`,
  }
}

const refuse = (path: DocumentPath, explain: Explain, refusal: Refusal): Problem =>
  explain(path, refusal) ?? invalid(path, refusal.message)

function enumProblem(
  path: DocumentPath,
  value: unknown,
  allowed: readonly unknown[],
  explain: Explain,
  form: unknown = oneOf(allowed),
): Problem {
  if (typeof value !== "string") return invalid(path, `must be ${String(form)}, got ${typeName(value)}`)
  const words = allowed.filter((item): item is string => typeof item === "string")
  const message = `must be ${String(form)}, got "${value}"${suggestion(value, words)}`
  return refuse(path, explain, { what: "word", value, node: { enum: allowed }, message })
}

const described = (node: JsonSchema): string =>
  typeof node["description"] === "string" ? `(${node["description"]}) ` : ""

const article = (type: string): string =>
  ({ object: "a map", array: "a list", integer: "a whole number" })[type] ?? `a ${type}`

function typeName(value: unknown): string {
  if (value === null || value === undefined) return "nothing"
  if (Array.isArray(value)) return "a list"
  if (typeof value === "number" && !Number.isFinite(value)) return String(value)
  return typeof value === "object" ? "a map" : `a ${typeof value}`
}

// ── JSON pointers ──

const tokens = (pointer: string): readonly string[] =>
  pointer
    .replace(/^#/, "")
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))

/** Turns list positions back into numbers, which a pointer cannot tell from keys. */
function fromPointer(pointer: string, root: unknown): DocumentPath {
  let node = root
  return tokens(pointer).map((token) => {
    const step = Array.isArray(node) ? Number(token) : token
    node = (node as Record<string | number, unknown> | undefined)?.[step]
    return step
  })
}

/** The schema node that an error is about. References are followed, because error paths run through them. */
function schemaAt(root: JsonSchema, pointer: string): JsonSchema {
  let definitions: Readonly<Record<string, JsonSchema>> = {}
  const follow = (node: JsonSchema): JsonSchema => {
    definitions = { ...definitions, ...(node["$defs"] as Record<string, JsonSchema> | undefined) }
    const target =
      typeof node["$ref"] === "string" ? definitions[node["$ref"].replace(/^#?\/?(\$defs\/)?/, "")] : undefined
    return target === undefined ? node : follow(target)
  }
  let node = follow(root)
  for (const token of tokens(pointer)) {
    const next = node[token]
    if (typeof next !== "object" || next === null) break
    node = follow(next as JsonSchema)
  }
  return node
}
