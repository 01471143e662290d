// Says more about what the schema refuses: what is not supported yet or has moved, where a key belongs, and what to write.

import { durationMs, durationPattern, isDuration } from "../schema/duration.ts"
import { formatPath, invalid, oneOf, suggestion } from "../schema/problem.ts"
import type { Explain, Refusal } from "../schema/validate.ts"
import type { DocumentPath } from "../error.ts"
import { type Registry, signalConditionType, signalConfigKey } from "../modules/registry.ts"
import { moduleKinds } from "../modules/kinds.ts"
import type { ModuleKind } from "../types/module.ts"
import { unsupportedIn } from "./unsupported.ts"

interface SchemaNode {
  readonly type?: unknown
  readonly pattern?: unknown
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode | boolean
  readonly items?: SchemaNode
}

/** Explains what `schema` refuses in a document. `registry` has the modules that there are. */
export function explainIn(document: unknown, schema: object, registry?: Registry): Explain {
  const unsupported = unsupportedIn(document)
  return (path, refusal) => {
    const { what, value } = refusal
    const message = withShortText(refusal)
    const known = what === "key" ? unsupported(path) : what === "word" ? unsupported(path, String(value)) : undefined
    const ofModules = registry && what === "word" && known === undefined && wrongModule(path, refusal, registry)
    if (ofModules) return invalid(path, ofModules)
    const hint = hints[what](refusal, path, schema)
    if (known === undefined)
      return hint === "" && message === refusal.message ? undefined : invalid(path, `${message}${hint}`)
    return what === "word" ? { ...known, message: `${known.message}${insteadOf(String(value), path)}` } : known
  }
}

/** What goes behind the message of a refusal; nothing where it says enough. */
const hints: Readonly<Record<Refusal["what"], (refusal: Refusal, path: DocumentPath, schema: SchemaNode) => string>> = {
  key: ({ node, message }, path, schema) => (message.includes("did you mean") ? "" : keyHint(node, path, schema)),
  word: ({ value, node, message }, path) =>
    message.includes("did you mean") ? "" : wordHint(String(value), path, (node as SchemaNode).enum ?? []),
  type({ node: given, value }, path) {
    const node: SchemaNode = given
    const { pattern, required = [], properties = {} } = node
    if (isNumeric(node)) return typeof value === "string" ? numberHint(value, String(path.at(-1)), node) : ""
    if (pattern === durationPattern && typeof value === "number" && new RegExp(durationPattern).test(`${value}s`))
      return `; write "${value}s"`
    if (node.type === "boolean" && typeof value === "string") return "; write true or false"
    const [key = "", ...others] = required
    if (typeof value !== "string" || others.length > 0 || properties[key]?.type !== "string") return ""
    // A text elsewhere may be a secret.
    return `; write { ${key}: ${/^(model|name)$/.test(key) ? value : "…"} }`
  },
  missing({ node }, path) {
    const { enum: words = [] } = node as SchemaNode
    return words.length === 1 ? `; write ${path.at(-1)}: ${words[0]}` : ""
  },
}

const isNumeric = ({ type }: SchemaNode): boolean => type === "integer" || type === "number"

/** A longer text where a number belongs may be anything. */
const maxShown = 40

/** The message with a text that stands in place of a number; a text elsewhere may be a secret. */
function withShortText({ what, value, node, message }: Refusal): string {
  const isShown = what === "type" && isNumeric(node) && typeof value === "string"
  return !isShown || value.trim() === "" || value.length > maxShown
    ? message
    : message.replace(/a string$/, () => `the string ${JSON.stringify(value)}`)
}

/** The number that a text means, where its key says in which unit. */
function numberHint(text: string, key: string, { type }: SchemaNode): string {
  const fits = (number: number): boolean => (type === "integer" ? Number.isInteger(number) : Number.isFinite(number))
  if (text.trim() !== "" && fits(Number(text))) return "; write it without quotes"
  const [, unit] = /_(ms|sec|seconds)$/.exec(key) ?? []
  if (unit === undefined) return ""
  const [name, length] = unit === "ms" ? ["milliseconds", 1] : ["seconds", 1000]
  const meant = isDuration(text) ? durationMs(text) / length : Number.NaN
  return fits(meant) ? `; write ${meant} (${name})` : `; write a number of ${name}`
}

/** Keys that too many parts have for the place of another one to say anything. */
const everywhere = /^(name|type|description|enabled)$/
/** More keys are for the documentation to list. */
const maxListed = 20

/** Keys that the schema lacks, because they stand for others or load with the first document that has them. */
const furtherKeys: readonly (readonly [pattern: RegExp, keys: readonly string[]])[] = [
  [/^[^.]*$/, ["recipes", "entrypoints"]],
  [/^providers\.models\.\d+\.[^.]*$/, ["catalog"]],
]

function keyHint(node: object, path: DocumentPath, schema: SchemaNode): string {
  const { properties = {} } = node as SchemaNode
  const key = String(path.at(-1))
  // Without a schema there is no more to say.
  if (Object.keys(properties).length === 0) return ""
  const further = furtherKeys.find(([pattern]) => pattern.test(path.join(".")))?.[1] ?? []
  const near = suggestion(key, further)
  if (near !== "") return near
  const owner = ownerOf(key, path, schema)
  if (owner !== undefined) return ` here; it belongs to ${owner}`
  const keys = [...new Set([...Object.keys(properties), ...further])]
  return keys.length > 1 && keys.length <= maxListed ? `; known keys: ${keys.join(", ")}` : ""
}

/** Where a key belongs that stands in the wrong section: in one around it, or in one below it. */
function ownerOf(key: string, path: DocumentPath, schema: SchemaNode): string | undefined {
  if (everywhere.test(key)) return undefined
  const around: (SchemaNode | undefined)[] = [schema]
  for (const step of path.slice(0, -1)) around.push(below(around.at(-1), step))
  const above = around.findLastIndex((node) => propertyOf(node, key) !== undefined)
  if (above >= 0) return formatPath([...path.slice(0, above), key])
  const inside = Object.entries(around.at(-1)?.properties ?? {}).flatMap(([name, node]) =>
    propertyOf(node, key) !== undefined
      ? [`${name}.${key}`]
      : propertyOf(node.items, key) === undefined
        ? []
        : [`${name}[].${key}`],
  )
  return inside.length === 1 ? inside[0] : undefined
}

/** Every object answers to names such as `constructor`; only what the schema has counts. */
const propertyOf = (node: SchemaNode | undefined, key: string): SchemaNode | undefined =>
  node?.properties !== undefined && Object.hasOwn(node.properties, key) ? node.properties[key] : undefined

function below(node: SchemaNode | undefined, step: string | number): SchemaNode | undefined {
  if (typeof step === "number") return node?.items
  const others = node?.additionalProperties
  return propertyOf(node, step) ?? (typeof others === "object" ? others : undefined)
}

function wordHint(word: string, path: DocumentPath, words: readonly unknown[]): string {
  const longer = words.find((known) => String(known).startsWith(`${word}-`))
  if (longer !== undefined) return ` (did you mean "${String(longer)}"?)`
  return /^providers\.models\.\d+\.(backend_refs\.\d+\.)?provider$/.test(path.join("."))
    ? '; rtr providers list shows them, and "vllm" fits any other server of chat completions'
    : insteadOf(word, path)
}

/** Where a document names modules, and the kinds that may stand there. */
const places: readonly (readonly [pattern: RegExp, kinds: readonly ModuleKind[]])[] = [
  [/^routing\.decisions\.\d+\.plugins\.\d+\.type$/, ["plugin"]],
  [/^routing\.decisions\.\d+\.rules(\.conditions\.\d+)*\.type$/, ["signal"]],
  [/^routing\.decisions\.\d+\.algorithm\.type$/, ["selector", "looper"]],
]

/** Tells a module of another kind than stands at a place, and of plugins only those that there are. */
function wrongModule(path: DocumentPath, { value }: Refusal, registry: Registry): string | undefined {
  const [, kinds] = places.find(([pattern]) => pattern.test(path.join("."))) ?? []
  if (kinds === undefined) return undefined
  const word = String(value)
  const others = (["signal", "plugin", "selector", "looper"] as const).filter((kind) => !kinds.includes(kind))
  const kind = others.find((other) => namesOf(other, registry).includes(word))
  if (kind !== undefined)
    return `"${word}" is a ${kind}, not a ${kinds.join(" or ")}; a ${kind} stands in ${moduleKinds[kind].section}`
  // The schema also has those of the format that the router lacks.
  const plugins = namesOf("plugin", registry)
  return kinds.includes("plugin") ? `must be ${oneOf(plugins)}, got "${word}"${suggestion(word, plugins)}` : undefined
}

const namesOf = (kind: ModuleKind, registry: Registry): readonly string[] =>
  kind === "signal"
    ? registry.all("signal").flatMap(({ id, module }) => [signalConfigKey(id, module), signalConditionType(id, module)])
    : registry.all(kind).map(({ id }) => id)

/** Algorithms that were ways of learning. */
const learning = /^(session_aware|elo|rl_driven|gmtrouter|bandit|personalization)$/

/** What to write for a word that means something which another key says. */
const insteadOf = (word: string, path: DocumentPath): string =>
  /^routing\.decisions\.\d+\.algorithm\.type$/.test(path.join(".")) && learning.test(word)
    ? "; global.router.learning learns for every algorithm"
    : /^providers\.models\.\d+\.api_format$/.test(path.join(".")) && /^messages$/.test(word)
      ? "; write anthropic"
      : ""
