// Reads YAML (JSON is YAML too) and remembers where every value stands.

import {
  type Document,
  isAlias,
  isMap,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from "yaml"
import type { DocumentPath } from "../error.ts"
import type { Position, Problem } from "../schema/problem.ts"
import { ConfigError } from "./config-error.ts"
import type { SourceDocument } from "./source-document.ts"

/** Past this size a document is not configuration; parsing it would only cost memory. */
const maxDocumentBytes = 16 * 1024 * 1024

/** Parses a document. Throws a `ConfigError` that lists every syntax error, duplicate key and unresolved alias. */
export function readDocument(text: string, source: string): SourceDocument {
  if (text.length > maxDocumentBytes)
    throw new ConfigError(source, [{ path: [], code: "invalid", message: `is larger than ${maxDocumentBytes} bytes` }])
  const lineCounter = new LineCounter()
  const document = parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    strict: true,
    uniqueKeys: true,
    merge: true,
    resolveKnownTags: false,
  })
  const position = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset)
    return { line, column: col }
  }
  // Tags would let a document choose its own types; configuration is plain data.
  const problems = [...document.errors, ...document.warnings].map((error) => toProblem(error, position))
  if (problems.length === 0) problems.push(...unresolvedAliases(document, position))
  if (problems.length > 0) throw new ConfigError(source, problems)
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 1000 })
  } catch (cause) {
    throw new ConfigError(source, [
      { path: [], code: "invalid", message: cause instanceof Error ? cause.message : "cannot be read" },
    ])
  }
  if (holdsItself(value))
    throw new ConfigError(source, [
      { path: [], code: "invalid", message: "has an alias that stands inside its own anchor" },
    ])
  return { value, locate: (path) => locate(document.contents, path, position) }
}

/** Whether a value contains itself, as an alias inside its own anchor makes it. Shared values are not cycles. */
function holdsItself(root: unknown): boolean {
  const finished = new Set<object>()
  const enter = (node: unknown, above: ReadonlySet<object>): boolean => {
    if (typeof node !== "object" || node === null || finished.has(node)) return false
    if (above.has(node)) return true
    const around = new Set(above).add(node)
    const found = Object.values(node).some((item) => enter(item, around))
    finished.add(node)
    return found
  }
  return enter(root, new Set())
}

function toProblem(error: YAMLError, position: (offset: number) => Position): Problem {
  return { path: [], code: "invalid", message: withoutText(error.message), position: position(error.pos[0]) }
}

/** Where the parser quotes what it stumbled over, the quote may be a secret; the position tells enough. */
function withoutText(message: string): string {
  return message.replace(/^(Not a YAML token|Block scalar header includes extra characters|Unresolved tag): .*$/s, "$1")
}

/** Aliases before or without their anchor. An unquoted text that begins with `*` is one too, and may be a password. */
function unresolvedAliases(document: Document, position: (offset: number) => Position): readonly Problem[] {
  const anchors = new Set<string>()
  const problems: Problem[] = []
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) anchors.add(node.anchor ?? "")
      else if (!anchors.has(node.source))
        problems.push({
          path: [],
          code: "invalid",
          message: "is an alias of an anchor that no earlier value has; quote a text that begins with *",
          position: position(node.range?.[0] ?? 0),
        })
    },
  })
  return problems
}

function locate(root: unknown, path: DocumentPath, position: (offset: number) => Position): Position | undefined {
  let node = root as Node | null
  let found = node?.range?.[0]
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => String((item.key as { value?: unknown } | null)?.value) === String(step))
      if (pair === undefined) break
      found = (pair.key as Node | null)?.range?.[0] ?? found
      node = pair.value as Node | null
    } else if (isSeq(node) && typeof step === "number") {
      node = (node.items[step] as Node | undefined) ?? null
      if (node === null) break
      found = node.range?.[0] ?? found
    } else break
  }
  return found === undefined ? undefined : position(found)
}
