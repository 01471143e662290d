// Tells what only an outside module could judge, for documents that are checked without running the code of their modules.

import type { DocumentPath } from "../error.ts"
import { type Registry, signalConditionType } from "../modules/registry.ts"
import { valueAt } from "../schema/value-at.ts"

/** Names of modules, by where a document says them: the last steps of the path. */
const namedAt: readonly (readonly [pattern: RegExp, known: (registry: Registry) => readonly string[]])[] = [
  [
    /^routing\.decisions\.\d+\.rules(\.conditions\.\d+)*\.type$/,
    (registry) => registry.all("signal").map(({ id, module }) => signalConditionType(id, module)),
  ],
  [/^routing\.decisions\.\d+\.plugins\.\d+\.type$/, (registry) => idsOf(registry, "plugin")],
  [
    /^routing\.decisions\.\d+\.algorithm\.type$/,
    (registry) => [...idsOf(registry, "selector"), ...idsOf(registry, "looper")],
  ],
  [/^providers\.models\.\d+\.(backend_refs\.\d+\.)?provider$/, (registry) => idsOf(registry, "provider")],
  [/^global\.stores\.\w+\.type$/, (registry) => idsOf(registry, "store")],
]

const idsOf = (registry: Registry, kind: "plugin" | "selector" | "looper" | "provider" | "store"): readonly string[] =>
  registry.all(kind).map(({ id }) => id)

/** Whether a document names modules at all; without any, nobody else could know better. */
function namesModules(document: unknown): boolean {
  const { modules } = (document ?? {}) as { readonly modules?: unknown }
  return Array.isArray(modules) && modules.length > 0
}

/**
 * Whether a module that is not in the registry may know better than a problem at this path: a name of a module, a family of
 * rules, settings of a signal, or a decision without models whose plugin may answer.
 */
export function mayBeOfModule(path: DocumentPath, document: unknown, registry: Registry, schema: object): boolean {
  if (!namesModules(document)) return false
  const place = path.join(".")
  const named = namedAt.find(([pattern]) => pattern.test(place))
  if (named !== undefined) {
    const word = valueAt(document, path)
    return typeof word === "string" && word !== "" && !named[1](registry).includes(word)
  }
  if (/^routing\.decisions\.\d+\.modelRefs$/.test(place)) {
    const plugins = valueAt(document, [...path.slice(0, -1), "plugins"])
    const at = (index: number): DocumentPath => [...path.slice(0, -1), "plugins", index, "type"]
    return Array.isArray(plugins) && plugins.some((_, index) => mayBeOfModule(at(index), document, registry, schema))
  }
  const hasSettings = /^routing\.signals\.[^.]+$/.test(place) || place.startsWith("global.")
  return hasSettings && valueAt(document, path) !== undefined && !knows(schema, path)
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode | boolean
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
}

/** Whether the schema has a key at this path. */
function knows(schema: SchemaNode, path: DocumentPath): boolean {
  const [step, ...rest] = path
  if (step === undefined) return true
  if (schema.anyOf !== undefined) return schema.anyOf.some((variant) => knows(variant, path))
  const { additionalProperties: others, items } = schema
  const next =
    typeof step === "number" ? items : (schema.properties?.[step] ?? (typeof others === "object" ? others : undefined))
  return next !== undefined && knows(next, rest)
}
