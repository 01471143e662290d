// Reads YAML (JSON is YAML too) and remembers where every value stands.

import {
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  Composer,
  Parser,
  Lexer,
  visit,
  type YAMLMap,
  YAMLParseError,
} from "yaml"
import type { Position, Problem } from "../schema/problem.ts"
import { ConfigError } from "./config-error.ts"
import { doWork, finish, type Work } from "../host/work.ts"
import type { MaybePromise } from "../types/module-base.ts"
import { isTemplate, syntaxProblems, templateMessage, tooDeep } from "./reading/syntax-problems.ts"
import { maxDocumentBytes, type SourceDocument } from "./source-document.ts"

/** Parses a document. Throws a `ConfigError` that lists every syntax error, duplicate key and unresolved alias. */
export const readDocument = (text: string, source: string): SourceDocument => finish(readInSteps(text, source))

/** The check of a document of more characters takes longer than other requests should wait. */
const maxAtOnce = 16_384
const isLong = (text: string): boolean => text.length > maxAtOnce

/** The same, of a long text in turns with others. */
export const readInTurns = (text: string, source: string): MaybePromise<SourceDocument> =>
  doWork(isLong(text), readInSteps(text, source))

/** The same in steps. */
export function* readInSteps(text: string, source: string): Work<SourceDocument> {
  const refuse = (message: string): never => {
    throw new ConfigError(source, [{ path: [], code: "invalid", message }])
  }
  if (text.length > maxDocumentBytes)
    refuse(`has ${text.length} characters; a document has at most ${maxDocumentBytes} bytes`)
  const lineCounter = new LineCounter()
  const document = yield* parseInSteps(text, lineCounter)
  const position = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset)
    return { line, column: col }
  }
  // Tags would let a document choose its own types; configuration is plain data.
  const problems = [...syntaxProblems([...document.errors, ...document.warnings], text, position)]
  if (problems.some(({ message }) => message === tooDeep)) refuse(tooDeep)
  problems.push(...refusedNodes(document, { text, isReadable: problems.length === 0, position }))
  if (problems.length > 0) throw new ConfigError(source, problems)
  yield
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 1000 })
  } catch (cause) {
    refuse(cause instanceof Error ? cause.message : "cannot be read")
  }
  yield
  if (holdsItself(value)) refuse("has an alias that stands inside its own anchor")
  const size = writtenOut(value)
  if (size > maxDocumentBytes)
    refuse(`has ${size} characters with its aliases written out; a document has at most ${maxDocumentBytes} bytes`)
  return {
    value,
    ...(isLong(text) && { isLong: true }),
    locate: createLocate(document.contents, position),
    textAt(path) {
      const node = document.getIn(path, true)
      const found = isAlias(node) ? node.resolve(document) : node
      return isScalar(found) ? found.source : undefined
    },
  }
}

/** What `parseDocument` of the library does, with pauses between its tokens; only putting the nodes together is one step. */
function* parseInSteps(text: string, lineCounter: LineCounter): Work<Document.Parsed<ParsedNode>> {
  lineCounter.addNewLine(0)
  const parser = new Parser(lineCounter.addNewLine)
  const tokens: CST.Token[] = []
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    count += 1
    if (count % tokensInStep === 0) yield
  }
  tokens.push(...parser.end())
  yield
  const composer = new Composer({
    lineCounter,
    prettyErrors: false,
    strict: true,
    // The parser compares each key with all before it; `refusedNodes` looks them up.
    uniqueKeys: false,
    merge: true,
    resolveKnownTags: false,
  } as object)
  const [document, another] = composer.compose(tokens, true, text.length)
  if (document === undefined) throw new Error("The parser made no document; this is a bug")
  if (another !== undefined)
    document.errors.push(
      new YAMLParseError(
        [another.range[0], another.range[1]],
        "MULTIPLE_DOCS",
        "begins a second document here; a file holds one",
      ),
    )
  yield
  return document
}

const tokensInStep = 200

/** Characters of a value whose aliases are copies of what they stand for. Nothing in it contains itself. */
function writtenOut(root: unknown): number {
  const known = new Map<object, number>()
  const measure = (node: unknown): number => {
    if (typeof node !== "object" || node === null) return String(node).length + 1
    let size = known.get(node)
    if (size !== undefined) return size
    size = 1
    for (const [key, item] of Object.entries(node)) size += (Array.isArray(node) ? 0 : key.length) + measure(item)
    known.set(node, size)
    return size
  }
  return measure(root)
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

interface Reading {
  readonly text: string
  /** The rest is in order. */
  readonly isReadable: boolean
  readonly position: (offset: number) => Position
}

const shownKey = (key: unknown): string => JSON.stringify(String(key).slice(0, 80))

/**
 * Keys that stand twice or are no text, and aliases before or without their anchor where the rest is in order: an unquoted text
 * that begins with `*` is one too, and may be a password.
 */
function refusedNodes(document: Document, { text, isReadable, position }: Reading): readonly Problem[] {
  const anchors = new Set<string>()
  const problems: Problem[] = []
  const refuse = (node: { readonly range?: readonly number[] | null | undefined }, message: string): void => {
    problems.push({ path: [], code: "invalid", message, position: position(node.range?.[0] ?? 0) })
  }
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) {
        if (isReadable && !anchors.has(node.source))
          refuse(node, "is an alias of an anchor that no earlier value has; quote a text that begins with *")
        return
      }
      anchors.add(node.anchor ?? "")
      if (!isMap(node)) return
      const keys = new Map<unknown, number>()
      for (const { key } of node.items) {
        if (isReadable && isCollection(key)) {
          const at = key.range?.[0] ?? 0
          refuse(key, isTemplate(text, at) ? templateMessage : "has a list or a map in place of a key")
        }
        if (!isScalar(key)) continue
        const earlier = keys.get(key.value)
        if (earlier === undefined) keys.set(key.value, key.range?.[0] ?? 0)
        else
          refuse(key, `has the key ${shownKey(key.value)} twice; it stands in line ${position(earlier).line} as well`)
      }
    },
  })
  return problems
}

/** Each map is read once, also when thousands of its keys are asked for. */
function createLocate(root: unknown, position: (offset: number) => Position): SourceDocument["locate"] {
  const known = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>()
  const pairsOf = (map: YAMLMap): ReadonlyMap<string, Pair> => {
    let pairs = known.get(map)
    if (pairs === undefined) {
      pairs = new Map(map.items.map((pair) => [String((pair.key as { value?: unknown } | null)?.value), pair]))
      known.set(map, pairs)
    }
    return pairs
  }
  return (path) => {
    let node = root as Node | null
    let found = node?.range?.[0]
    for (const step of path) {
      if (isMap(node)) {
        const pair = pairsOf(node).get(String(step))
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
}
