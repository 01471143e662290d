// Reads YAML (JSON is YAML too) and remembers where every value stands.

import { isMap, isSeq, LineCounter, type Node, parseDocument, type YAMLError } from "yaml"
import type { DocumentPath } from "../error.ts"
import { ConfigError, type Position, type Problem } from "./problem.ts"

export interface SourceDocument {
  /** Plain JSON value of the document. */
  readonly value: unknown
  /** Where the value at a path stands, or its nearest ancestor when it is not there. */
  locate(path: DocumentPath): Position | undefined
}

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
  })
  const position = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset)
    return { line, column: col }
  }
  // Tags would let a document choose its own types; configuration is plain data.
  const errors = [...document.errors, ...document.warnings]
  if (errors.length > 0)
    throw new ConfigError(
      source,
      errors.map((error) => toProblem(error, position)),
    )
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 1000 })
  } catch (cause) {
    throw new ConfigError(source, [
      { path: [], code: "invalid", message: cause instanceof Error ? cause.message : "cannot be read" },
    ])
  }
  return { value, locate: (path) => locate(document.contents, path, position) }
}

/** Wraps a value that is no file, such as an object passed to `createKernel`. */
export function wrapDocument(value: unknown): SourceDocument {
  return { value, locate: () => undefined }
}

function toProblem(error: YAMLError, position: (offset: number) => Position): Problem {
  return { path: [], code: "invalid", message: error.message, position: position(error.pos[0]) }
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
