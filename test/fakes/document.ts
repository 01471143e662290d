// Documents to change: a small valid one, and ways to read and check one.

import { readDocument } from "../../ts/kernel/config/document.ts"
import { wrapDocument } from "../../ts/kernel/config/source-document.ts"
import type { Environment } from "../../ts/kernel/config/environment.ts"
import { ConfigError } from "../../ts/kernel/config/config-error.ts"
import type { ConfigDocument } from "../../ts/kernel/config/document-schema.ts"
import { resolveDocument, type ResolvedDocument } from "../../ts/kernel/config/resolve.ts"
import { explainIn } from "../../ts/kernel/config/explain.ts"
import { formatPath, type Problem } from "../../ts/kernel/schema/problem.ts"
import { registry } from "./registry.ts"

type Json = Readonly<Record<string, unknown>>

/** Two models, a keyword signal and one decision. */
export const smallDocument = {
  version: "v0.3",
  listeners: [{ name: "main", address: "127.0.0.1", port: 8801 }],
  providers: {
    defaults: { model: "small" },
    models: [
      { name: "small", backend_refs: [{ endpoint: "small.example:8000" }] },
      { name: "large", backend_refs: [{ base_url: "https://large.example/v1", provider: "openai", api_key: "key" }] },
    ],
  },
  routing: {
    signals: { keywords: [{ name: "urgent", operator: "OR", keywords: ["urgent"] }] },
    decisions: [
      {
        name: "rush",
        rules: { operator: "OR", conditions: [{ type: "keyword", name: "urgent" }] },
        modelRefs: [{ model: "large" }],
      },
    ],
  },
} as const

/** A copy of the small document with the values at these paths; `undefined` removes one. */
export function documentWith(changes: Readonly<Record<string, unknown>>, base: object = smallDocument): Json {
  const document = structuredClone(base) as Record<string, unknown>
  for (const [path, value] of Object.entries(changes)) setAt(document, path.split("."), value)
  return document
}

function setAt(root: unknown, path: readonly string[], value: unknown): void {
  let node = root as Record<string, unknown>
  for (const [position, step] of path.slice(0, -1).entries()) {
    const empty = /^\d+$/.test(path[position + 1] ?? "") ? [] : {}
    node = (node[step] ??= empty) as Record<string, unknown>
  }
  const last = path.at(-1) ?? ""
  if (value === undefined) delete node[last]
  else node[last] = value
}

/** Resolves a value or a YAML text with the built-in modules. A document with patterns, whose check takes time, is for `load`. */
export function resolve(document: unknown, environment: Environment = {}): ResolvedDocument {
  const resolved = start(document, environment)
  if (resolved instanceof Promise) throw new Error("The check of a module takes time; use load() for this document")
  return resolved
}

/** The same for any document. */
export async function load(document: unknown, environment: Environment = {}): Promise<ResolvedDocument> {
  return start(document, environment)
}

function start(document: unknown, environment: Environment): ResolvedDocument | Promise<ResolvedDocument> {
  const source = typeof document === "string" ? readDocument(document, "config.yaml") : wrapDocument(document)
  return resolveDocument(source, { source: "config.yaml", registry, environment, explainIn })
}

/** The canonical form of a document that is valid. */
export function canonical(
  changes: Readonly<Record<string, unknown>> = {},
  environment: Environment = {},
): ConfigDocument {
  return resolve(documentWith(changes), environment).document
}

/** What is wrong with a document: `path: message` of each problem, in order. */
export function problemsOf(document: unknown, environment: Environment = {}): readonly string[] {
  return problemListOf(document, environment).map(({ path, message }) => `${formatPath(path)}: ${message}`)
}

/** The problems of a document as they are; none when it is valid. */
export function problemListOf(document: unknown, environment: Environment = {}): readonly Problem[] {
  try {
    resolve(document, environment)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems
  }
}

/** The same for any document. */
export async function problemsOnLoad(document: unknown, environment: Environment = {}): Promise<readonly Problem[]> {
  try {
    await load(document, environment)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems
  }
}
