// Older and alternative spellings of keys and values. They are read and printed in the current spelling.

import type { DocumentPath } from "../error.ts"
import { invalid, type Problem } from "../schema/problem.ts"
import { pathKey } from "./environment.ts"

type Json = Readonly<Record<string, unknown>>

/** [parent path, old key, current key]; `*` stands for one step. */
export const keyAliases: readonly (readonly [parent: readonly string[], from: string, to: string])[] = [
  [["providers", "defaults"], "default_model", "model"],
  [["providers", "defaults"], "default_reasoning_effort", "reasoning_effort"],
  [["providers", "models", "*", "backend_refs", "*"], "type", "provider"],
  [["global", "stores"], "semantic_cache", "response_cache"],
]

export const pluginTypeAliases: Readonly<Record<string, string>> = {
  "semantic-cache": "response_cache",
  semantic_cache: "response_cache",
  "response-cache": "response_cache",
}

export interface Aliased {
  readonly value: unknown
  readonly problems: readonly Problem[]
  /** Where a path of `value` stands in the document as written. */
  readonly written: (path: DocumentPath) => DocumentPath
  /** A message about the value at a path, with that value as the document spells it. */
  readonly spelled: (path: DocumentPath, message: string) => string
}

/** Rewrites aliases, with a warning for each spelling. Two spellings of one key with different values are a problem. */
export function applyAliases(document: unknown): Aliased {
  const problems: Problem[] = []
  const told = new Set<string>()
  /** One warning for a spelling, at the first place that has it. */
  const tell = (path: DocumentPath, from: string, to: string): void => {
    if (told.has(from)) return
    told.add(from)
    problems.push({ ...invalid(path, `"${from}" is the older spelling of "${to}"`), severity: "warning" })
  }
  const renamed: { readonly parent: DocumentPath; readonly from: string; readonly to: string }[] = []
  let value = document
  for (const [parent, from, to] of keyAliases) {
    value = mapAt(value, parent, [], (node, path) => {
      if (!(from in node)) return node
      tell([...path, from], from, to)
      if (to in node && JSON.stringify(node[from]) !== JSON.stringify(node[to])) {
        problems.push(invalid([...path, from], `says something else than "${to}", which is the same key; keep one`))
      }
      if (!(to in node)) renamed.push({ parent: path, from, to })
      return Object.fromEntries(
        Object.entries(node).flatMap(([key, item]) => (key !== from ? [[key, item]] : to in node ? [] : [[to, item]])),
      )
    })
  }
  const respelled = new Map<string, { readonly from: string; readonly to: string }>()
  value = mapAt(value, ["routing", "decisions", "*", "plugins", "*"], [], (node, path) => {
    const { type } = node
    const to = typeof type === "string" && Object.hasOwn(pluginTypeAliases, type) ? pluginTypeAliases[type] : undefined
    if (to === undefined) return node
    respelled.set(pathKey([...path, "type"]), { from: String(type), to })
    tell(path, String(type), to)
    return { ...node, type: to }
  })
  return {
    value,
    problems,
    written: (path) => renamed.reduce(rename, path),
    spelled(path, message) {
      const spelling = respelled.get(pathKey(path))
      return spelling === undefined ? message : message.replaceAll(`"${spelling.to}"`, `"${spelling.from}"`)
    },
  }
}

function rename(
  path: DocumentPath,
  { parent, from, to }: { readonly parent: DocumentPath; readonly from: string; readonly to: string },
): DocumentPath {
  const matches = path[parent.length] === to && parent.every((step, index) => path[index] === step)
  return matches ? [...parent, from, ...path.slice(parent.length + 1)] : path
}

/** Replaces every map at a path pattern; anything of another shape is left for the schema to report. */
function mapAt(
  value: unknown,
  pattern: readonly string[],
  path: DocumentPath,
  change: (node: Json, path: DocumentPath) => Json,
): unknown {
  const [step, ...rest] = pattern
  if (step === "*" && Array.isArray(value))
    return value.map((item, index) => mapAt(item, rest, [...path, index], change))
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  if (step === undefined) return change(value as Json, path)
  const node = value as Json
  return step in node ? { ...node, [step]: mapAt(node[step], rest, [...path, step], change) } : node
}
