// Reads YAML (JSON is YAML too) and remembers where every value stands.

import {
  type CST,
  type Document,
  isAlias,
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
  type YAMLError,
  type YAMLMap,
  YAMLParseError,
} from "yaml"
import type { Position, Problem } from "../schema/problem.ts"
import { ConfigError } from "./config-error.ts"
import { doWork, finish, type Work } from "../host/work.ts"
import type { MaybePromise } from "../types/module-base.ts"
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
  const problems = [...whatIsWrong([...document.errors, ...document.warnings], text, position)]
  if (problems.some(({ message }) => message === tooDeep)) refuse(tooDeep)
  problems.push(...refusedNodes(document, problems.length === 0, position))
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
        "Source contains multiple documents; keep one",
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

/** Behind a reference without quotes inside braces or brackets nothing is read as it is meant, so the rest is not told. */
function whatIsWrong(
  errors: readonly YAMLError[],
  text: string,
  position: (offset: number) => Position,
): readonly Problem[] {
  const unquoted = errors.findIndex(({ pos: [at] }) => text[at] === "{" && text[at - 1] === "$")
  if (unquoted === -1) return errors.map((error) => toProblem(error, position))
  const at = (errors[unquoted]?.pos[0] ?? 1) - 1
  const name = /^\$\{([A-Za-z_]\w*)/.exec(text.slice(at, at + 200))?.[1] ?? "NAME"
  return [
    ...errors.slice(0, unquoted).map((error) => toProblem(error, position)),
    {
      path: [],
      code: "invalid",
      message: `has \${${name}} without quotes inside { } or [ ]; write "\${${name}}", and every other one there too`,
      position: position(at),
    },
  ]
}

function toProblem(error: YAMLError, position: (offset: number) => Position): Problem {
  // The parser calls itself for each level.
  const message = /call stack|stack overflow/i.test(error.message) ? tooDeep : withoutText(error.message)
  return { path: [], code: "invalid", message, position: position(error.pos[0]) }
}

const tooDeep = "is nested too deeply to be read"

/** Where the parser quotes what it stumbled over, the quote may be a secret; the position tells enough. */
function withoutText(message: string): string {
  return message.replace(/^(Not a YAML token|Block scalar header includes extra characters|Unresolved tag): .*$/s, "$1")
}

/**
 * Keys that stand twice, and aliases before or without their anchor where the rest is in order: an unquoted text that begins
 * with `*` is one too, and may be a password.
 */
function refusedNodes(
  document: Document,
  areAliasesChecked: boolean,
  position: (offset: number) => Position,
): readonly Problem[] {
  const anchors = new Set<string>()
  const problems: Problem[] = []
  const refuse = (node: { readonly range?: readonly number[] | null | undefined }, message: string): void => {
    problems.push({ path: [], code: "invalid", message, position: position(node.range?.[0] ?? 0) })
  }
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) {
        if (areAliasesChecked && !anchors.has(node.source))
          refuse(node, "is an alias of an anchor that no earlier value has; quote a text that begins with *")
        return
      }
      anchors.add(node.anchor ?? "")
      if (!isMap(node)) return
      const keys = new Set<unknown>()
      for (const { key } of node.items) {
        if (!isScalar(key)) continue
        if (keys.has(key.value)) refuse(key, "Map keys must be unique")
        keys.add(key.value)
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
